import Glibc

/// A requirement on an opened file, besides being regular.
public enum FilePrivacy: Sendable {
    /// No requirement: a file that the administrator makes. A symbolic link is followed.
    case any
    /// No access for others and no write access for the group; the owner and the group may read. A credential that
    /// systemd passes to a service shows its access list in the group bits, so those may be set. A symbolic link is
    /// followed.
    case secret
    /// A file that only the programs make, under any user. A symbolic link is refused.
    case shared
    /// A file that only this process's user makes and can access. A symbolic link is refused.
    case own

    private var followsLinks: Bool { self == .any || self == .secret }

    fileprivate var flags: Int32 { followsLinks ? 0 : O_NOFOLLOW }
}

/// Opens a regular file for reading or writing, and returns its descriptor, which the caller closes.
///
/// Throws `FileError` for a directory, FIFO, socket or device, without waiting for it, and for a file that does not
/// meet `privacy`.
///
/// - Parameters:
///   - flags: for open(2), such as `O_RDWR | O_CREAT`. Never `O_TRUNC`: an existing file is checked after it was
///     opened.
///   - mode: the mode of a new file.
///   - limit: the most bytes that the file may have.
public func openFile(
    _ path: String, _ flags: Int32, mode: mode_t = 0o600, privacy: FilePrivacy, limit: Int = .max
) throws(FileError) -> Int32 {
    let descriptor = open(path, flags | privacy.flags | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, mode)
    guard descriptor >= 0 else {
        let code = errno
        var status = stat()
        // The kernel's messages for a link that is not followed, or a FIFO without a reader, name no remedy.
        if [ELOOP, ENXIO, EISDIR].contains(code), lstat(path, &status) == 0 { try check(kind: status, of: path) }
        throw FileError(errno: code, path: path)
    }
    do throws(FileError) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw FileError(errno: errno, path: path) }
        try check(kind: status, of: path)
        try check(status, of: path, privacy, limit)
    } catch {
        close(descriptor)
        throw error
    }
    return descriptor
}

/// Checks a file of `FilePrivacy.own` before a library opens it for reading and writing. Does not open it: a process
/// that closes a file loses its record locks on that file (fcntl_locking(2)).
///
/// - Parameter limit: the most bytes that it may have.
public func checkOwnFile(_ path: String, limit: Int) throws(FileError) {
    var status = stat()
    guard lstat(path, &status) == 0 else { throw FileError(errno: errno, path: path) }
    try check(kind: status, of: path)
    try check(status, of: path, .own, limit)
    // Permissions do not restrict root.
    guard status.st_mode & 0o600 == 0o600 || geteuid() == 0 else { throw .denied(path: path) }
}

/// Whether the name exists; also true if that cannot be checked, as without permission. A symbolic link is not
/// followed.
public func fileExists(_ path: String) -> Bool {
    var status = stat()
    return lstat(path, &status) == 0 || errno != ENOENT
}

private func check(kind status: stat, of path: String) throws(FileError) {
    let kind: FileKind
    switch status.st_mode & S_IFMT {
    case S_IFREG: return
    case S_IFLNK: kind = .symbolicLink
    case S_IFDIR: kind = .directory
    case S_IFIFO: kind = .fifo
    case S_IFSOCK: kind = .socket
    default: kind = .device
    }
    throw .notRegular(path: path, kind)
}

private func check(_ status: stat, of path: String, _ privacy: FilePrivacy, _ limit: Int) throws(FileError) {
    guard status.st_size <= limit else { throw .tooLarge(path: path, limit: limit) }
    let forbidden: mode_t
    switch privacy {
    case .any, .shared: return
    case .secret: forbidden = 0o027
    case .own:
        forbidden = 0o077
        guard status.st_uid == geteuid() else { throw .foreign(path: path, owner: status.st_uid) }
    }
    guard status.st_mode & forbidden == 0 else { throw .exposed(path: path, mode: status.st_mode) }
}
