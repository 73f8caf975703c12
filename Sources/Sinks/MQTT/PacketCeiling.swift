import Files
import Glibc

/// A ceiling for what libmosquitto may take. The length of a packet is the broker's word (MQTT 5.0 §2.1.4: up to 256 MB), and libmosquitto
/// takes the memory for all of it before the first byte came; what it cannot get ends the connection.
enum PacketCeiling {
    /// Far more than any answer to a run.
    private static let bytes: UInt = 4 << 20

    /// Does something while this process can take no more than so much memory beside what it has (RLIMIT_DATA, getrlimit(2)).
    static func hold<Result>(during work: () -> Result) -> Result {
        let resource = __rlimit_resource_t(RLIMIT_DATA.rawValue)
        var usual = rlimit()
        guard let taken = takenMemory, getrlimit(resource, &usual) == 0 else { return work() }
        var low = usual
        low.rlim_cur = min(usual.rlim_cur, rlim_t(taken + bytes))
        setrlimit(resource, &low)
        defer { setrlimit(resource, &usual) }
        return work()
    }

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
