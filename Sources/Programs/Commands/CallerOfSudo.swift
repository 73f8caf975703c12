import Glibc
import System

/// Runs `body` with the rights of the user who called sudo(8), so that sudo opens no further files for paths on the
/// command line. Without sudo, nothing changes.
///
/// Ends the process if these rights cannot be taken or given back.
public func asCaller<Value, Fault: Error>(_ body: () throws(Fault) -> Value) throws(Fault) -> Value {
    guard geteuid() == 0, let user = number(of: "SUDO_UID"), user != 0, let group = number(of: "SUDO_GID") else {
        return try body()
    }
    var before = [gid_t](repeating: 0, count: Int(max(getgroups(0, nil), 0)))
    demand(getgroups(Int32(before.count), &before) == before.count)
    if let entry = getpwuid(user) {
        demand(initgroups(entry.pointee.pw_name, group) == 0)
    } else {
        demand(setgroups(0, nil) == 0)
    }
    // Groups need root's rights, so the user is changed last and restored first.
    demand(setegid(group) == 0 && seteuid(user) == 0)
    defer { demand(seteuid(0) == 0 && setegid(getgid()) == 0 && setgroups(before.count, before) == 0) }
    return try body()
}

private func demand(_ isDone: Bool) {
    guard !isDone else { return }
    tell("the rights of the user who called sudo: \(String(cString: strerror(errno)))")
    Glibc.exit(ExitCode.systemError.rawValue)
}

private func number(of variable: String) -> UInt32? { getenv(variable).flatMap { UInt32(String(cString: $0)) } }
