import CLinux
import Glibc

/// Keeps tokens and opened records out of core files, and overwrites freed memory. This covers copies made by
/// libraries; owners of a secret still wipe their own memory.
public func keepMemoryPrivate() {
    var none = rlimit(rlim_cur: 0, rlim_max: 0)
    setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none)
    anicca_overwrite_freed()
}

/// Overwrites the freed memory that `keepMemoryPrivate` cannot. Makes some 500 small allocations; call it after a
/// secret was used.
public func overwriteFreedMemory() { anicca_overwrite_kept_blocks() }

/// Prepares a program for untrusted peers. It changes the environment and a limit of the process, so call it once,
/// before other threads exist.
///
/// - TLS session keys are not logged: libcurl would write them to a file named in SSLKEYLOGFILE.
/// - From now on the process can allocate at most 40 MB of further data (RLIMIT_DATA, getrlimit(2)). The broker sets
///   the length of an MQTT packet (MQTT 5.0 §2.1.4: up to 256 MB), and libmosquitto allocates all of it before the
///   first byte arrives. A failed allocation ends the connection. A run takes 12 MB, and a thread of libcurl's resolver
///   has a stack of 8 MB.
public func prepareForPeers() {
    unsetenv("SSLKEYLOGFILE")
    guard let taken = takenMemory else { return }
    let resource = __rlimit_resource_t(RLIMIT_DATA.rawValue)
    var limit = rlimit()
    guard getrlimit(resource, &limit) == 0 else { return }
    limit.rlim_cur = min(limit.rlim_cur, rlim_t(taken + (40 << 20)))
    setrlimit(resource, &limit)
}

/// Bytes of data and stack of this process (proc_pid_statm(5)); nil if unreadable.
private var takenMemory: UInt? {
    do throws(FileError) {
        let line = String(decoding: try readFile("/proc/self/statm", limit: 256), as: UTF8.self)
        let pages = line.split(separator: " ")
        guard pages.count > 5, let data = UInt(pages[5]) else { return nil }
        return data * UInt(sysconf(Int32(_SC_PAGESIZE)))
    } catch {
        return nil
    }
}
