import Files
import Glibc

/// A ceiling for what libmosquitto may take. The length of a packet is the broker's word (MQTT 5.0 §2.1.4: up to 256 MB), and libmosquitto
/// takes the memory for all of it before the first byte came; what it cannot get ends the connection.
enum PacketCeiling {
    /// Far more than any answer to a run.
    private static let bytes: UInt = 4 << 20

    /// The limit is the whole process's: whoever comes first keeps what it was, each one sets it anew, and the last gives it back.
    nonisolated(unsafe) private static var usual = rlimit()
    nonisolated(unsafe) private static var holders = 0
    /// Guards both. It is never released.
    nonisolated(unsafe) private static let lock: UnsafeMutablePointer<pthread_mutex_t> = {
        let lock = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
        pthread_mutex_init(lock, nil)
        return lock
    }()

    /// Does something while this process can take no more than so much memory beside what it has (RLIMIT_DATA, getrlimit(2)).
    static func hold<Result>(during work: () -> Result) -> Result {
        lower()
        defer { giveBack() }
        return work()
    }

    private static func lower() {
        pthread_mutex_lock(lock)
        defer { pthread_mutex_unlock(lock) }
        if holders == 0, getrlimit(resource, &usual) != 0 { usual = rlimit(rlim_cur: .max, rlim_max: .max) }
        holders += 1
        guard let taken = takenMemory else { return }
        var low = usual
        low.rlim_cur = min(usual.rlim_cur, rlim_t(taken + bytes))
        setrlimit(resource, &low)
    }

    private static func giveBack() {
        pthread_mutex_lock(lock)
        defer { pthread_mutex_unlock(lock) }
        holders -= 1
        if holders == 0 { setrlimit(resource, &usual) }
    }

    private static var resource: __rlimit_resource_t { __rlimit_resource_t(RLIMIT_DATA.rawValue) }

    /// Data and stack of this process (proc_pid_statm(5)); nil where that cannot be read.
    private static var takenMemory: UInt? {
        do throws(FileError) {
            let line = String(decoding: try readFile("/proc/self/statm", limit: 256), as: UTF8.self)
            let pages = line.split(separator: " ")
            guard pages.count > 5, let data = UInt(pages[5]) else { return nil }
            return data * UInt(sysconf(Int32(_SC_PAGESIZE)))
        } catch {
            return nil
        }
    }
}
