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
