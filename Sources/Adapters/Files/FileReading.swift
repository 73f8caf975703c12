import Glibc

/// The requirement on the mode of a file that is read.
public enum FilePrivacy: Sendable {
    /// No requirement.
    case any
    /// The owner, and the group for reading: others nothing, the group no writing. A credential that systemd
    /// hands to a service shows its access list in the group bits, so those may be set.
    case secret
}

/// Reads a whole regular file of at most `limit` bytes.
///
/// Throws `FileError`; nothing is created or changed. A symbolic link is followed, a FIFO or a device is
/// refused without waiting for it.
public func readFile(
    _ path: String, limit: Int, privacy: FilePrivacy = .any
) throws(FileError) -> [UInt8] {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
    guard descriptor >= 0 else { throw FileError(errno: errno, path: path) }
    defer { close(descriptor) }

    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw FileError(errno: errno, path: path) }
    guard status.st_mode & S_IFMT == S_IFREG else { throw .unsuitable(path: path, limit: limit) }
    if privacy == .secret, status.st_mode & 0o027 != 0 {
        throw .exposed(path: path, mode: status.st_mode)
    }
    return try readToEnd(descriptor, path: path, limit: limit)
}

/// Takes one byte more than allowed, so that a file that grows meanwhile is noticed too.
private func readToEnd(_ descriptor: Int32, path: String, limit: Int) throws(FileError) -> [UInt8] {
    var failure: Int32 = 0
    let bytes = [UInt8](unsafeUninitializedCapacity: limit + 1) { buffer, count in
        while count < buffer.count {
            let got = read(descriptor, buffer.baseAddress.map { $0 + count }, buffer.count - count)
            if got < 0, errno == EINTR { continue }
            if got < 0 { failure = errno }
            if got <= 0 { return }
            count += got
        }
    }
    guard failure == 0 else { throw FileError(errno: failure, path: path) }
    guard bytes.count <= limit else { throw .unsuitable(path: path, limit: limit) }
    return bytes
}

/// The names of a directory's entries, in no particular order, without `.` and `..`.
public func fileNames(in directory: String) throws(FileError) -> [String] {
    guard let stream = opendir(directory) else { throw FileError(errno: errno, path: directory) }
    defer { closedir(stream) }
    var names: [String] = []
    while true {
        // Only the last call's errno tells the end from a failure (readdir(3)).
        errno = 0
        guard let entry = readdir(stream) else { break }
        let name = withUnsafeBytes(of: &entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        if name != "." && name != ".." { names.append(name) }
    }
    guard errno == 0 else { throw FileError(errno: errno, path: directory) }
    return names
}

/// The same for a search: empty also where the directory is missing or cannot be read.
public func readableFileNames(in directory: String) -> [String] {
    do {
        return try fileNames(in: directory)
    } catch {
        return []
    }
}
