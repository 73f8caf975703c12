import Glibc

/// Writes all of the bytes, in as many calls as it takes. Returns false where that fails; `errno` says why, and how much was written is not
/// known.
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

/// Makes a file with these bytes, on the disk. Returns 0, or the errno of the failure, which leaves no file.
///
/// - Parameters:
///   - folder: the directory at which a relative path begins, as of openat(2).
///   - mode: also where the mask of the user's shell is stricter.
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

/// Gives a draft, which is whole, its place in the same directory, also when the power goes. Returns 0, or the errno of the failure. There
/// is no draft any more then.
///
/// - Parameter replaces: whether it takes the place of a file that is there; else that one stays (`EEXIST`).
public func placeFile(_ draft: String, at path: String, replaces: Bool = true) -> Int32 {
    let code = (replaces ? rename(draft, path) : link(draft, path)) == 0 ? 0 : errno
    // After a rename, a draft of this name is another process's.
    if code != 0 || !replaces { unlink(draft) }
    guard code == 0 else { return code }
    // Whoever may write in a directory need not be able to read it.
    let folder = open(directory(of: path), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard folder >= 0 else { return 0 }
    defer { close(folder) }
    return fsync(folder) == 0 || errno == EINVAL ? 0 : errno
}

/// Puts a file of mode 0600 in the place of whatever file is at `path`: whole or not at all, also when the power goes.
///
/// - Parameter draft: the name under which it is written, in the same directory. A file there is deleted.
public func replaceFile(_ path: String, with bytes: [UInt8], draft: String) throws(FileError) {
    unlink(draft)
    var code = makeFile(draft, bytes)
    if code == 0 { code = placeFile(draft, at: path) }
    guard code == 0 else { throw FileError(errno: code, path: path) }
}

/// Of a path, the directory in which its last name is.
public func directory(of path: String) -> String {
    path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
}

/// Returns false where there was none.
public func removeFile(_ path: String) throws(FileError) -> Bool {
    if unlink(path) == 0 { return true }
    guard errno == ENOENT || errno == ENOTDIR else { throw FileError(errno: errno, path: path) }
    return false
}
