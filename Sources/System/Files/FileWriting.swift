import Glibc

/// Writes all bytes, in as many calls as needed. Returns false on failure, with `errno` set; an unknown part may have
/// been written.
public func writeAll(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
    var rest = bytes[...]
    while !rest.isEmpty {
        let written = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
        if written < 0, errno == EINTR { continue }
        guard written > 0 else { return false }
        rest = rest.dropFirst(written)
    }
    return true
}

/// Makes a file with these bytes and syncs it to disk. Returns 0, or the errno of the failure, which leaves no file.
///
/// - Parameters:
///   - folder: the directory at which a relative path begins, as of openat(2).
///   - mode: the exact mode, even if the umask is stricter.
public func makeFile(
    _ path: String, in folder: Int32 = AT_FDCWD, _ bytes: [UInt8], mode: mode_t = 0o600
) -> Int32 {
    let file = openat(folder, path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode)
    guard file >= 0 else { return errno }
    let code = fchmod(file, mode) == 0 && writeAll(bytes, to: file) && fsync(file) == 0 ? 0 : errno
    close(file)
    if code != 0 { unlinkat(folder, path, 0) }
    return code
}

/// Renames a complete draft to its final name in the same directory, durable against power loss. Returns 0, or the
/// errno of the failure. The draft is gone in either case.
///
/// - Parameter replaces: whether it replaces an existing file; otherwise that file stays (`EEXIST`).
public func placeFile(_ draft: String, at path: String, replaces: Bool = true) -> Int32 {
    let code = (replaces ? rename(draft, path) : link(draft, path)) == 0 ? 0 : errno
    // After a rename, a draft with this name belongs to another process.
    if code != 0 || !replaces { unlink(draft) }
    guard code == 0 else { return code }
    // Write access to a directory does not imply read access.
    let folder = open(directory(of: path), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard folder >= 0 else { return 0 }
    defer { close(folder) }
    return fsync(folder) == 0 || errno == EINVAL ? 0 : errno
}

/// Replaces any file at `path` by a file of mode 0600, atomically and durable against power loss.
///
/// - Parameter draft: the name under which it is written, in the same directory. A file there is deleted.
public func replaceFile(_ path: String, with bytes: [UInt8], draft: String) throws(FileError) {
    unlink(draft)
    var code = makeFile(draft, bytes)
    if code == 0 { code = placeFile(draft, at: path) }
    guard code == 0 else { throw FileError(errno: code, path: path) }
}

/// The directory part of a path.
public func directory(of path: String) -> String {
    path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
}

/// Returns false if the file did not exist.
public func removeFile(_ path: String) throws(FileError) -> Bool {
    if unlink(path) == 0 { return true }
    guard errno == ENOENT || errno == ENOTDIR else { throw FileError(errno: errno, path: path) }
    return false
}
