import CLinux
import Glibc

/// Keeps tokens and opened records out of core files, and overwrites what is freed. Whoever has a secret in memory of its own wipes
/// that all the same: this is for copies that libraries make.
public func keepMemoryPrivate() {
    var none = rlimit(rlim_cur: 0, rlim_max: 0)
    setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none)
    anicca_overwrite_freed()
}

/// Overwrites the freed memory that `keepMemoryPrivate` cannot. Some 500 small allocations: for after a secret was used.
public func overwriteFreedMemory() { anicca_overwrite_kept_blocks() }

/// Prepares a program for peers that lie. It changes the environment and a limit of the process, so a program calls it once, before it has
/// other threads.
///
/// - Session keys of TLS go into no file: the starter of the program could name one in SSLKEYLOGFILE, which libcurl heeds.
/// - From now on the process takes no more than 40 MB of data (RLIMIT_DATA, getrlimit(2)). The length of an MQTT packet is the broker's
///   word (MQTT 5.0 §2.1.4: up to 256 MB), and libmosquitto takes memory for all of it before the first byte came. What it cannot get ends
///   the connection. A run takes 12 MB, and a thread of libcurl's resolver has a stack of 8 MB.
public func prepareForPeers() {
    unsetenv("SSLKEYLOGFILE")
    guard let taken = takenMemory else { return }
    let resource = __rlimit_resource_t(RLIMIT_DATA.rawValue)
    var limit = rlimit()
    guard getrlimit(resource, &limit) == 0 else { return }
    limit.rlim_cur = min(limit.rlim_cur, rlim_t(taken + (40 << 20)))
    setrlimit(resource, &limit)
}

/// Bytes of data and stack of this process (proc_pid_statm(5)); nil where that cannot be read.
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
