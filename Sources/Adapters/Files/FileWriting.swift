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

/// Puts a file of mode 0600 in the place of whatever file is at `path`: whole or not at all, also when the power goes.
///
/// - Parameter draft: the name under which it is written, in the same directory. A file there is deleted.
public func replaceFile(_ path: String, with bytes: [UInt8], draft: String) throws(FileError) {
    unlink(draft)
    let file = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw FileError(errno: errno, path: draft) }
    var failure = writeAll(bytes, to: file) && fsync(file) == 0 ? 0 : errno
    close(file)
    if failure == 0, rename(draft, path) != 0 { failure = errno }
    guard failure == 0 else {
        unlink(draft)
        throw FileError(errno: failure, path: path)
    }
    let slash = path.lastIndex(of: "/") ?? path.startIndex
    let directory = open(String(path[..<slash]) + "/", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard directory >= 0 else { return }
    fsync(directory)
    close(directory)
}
