import Glibc

/// Reads a whole regular file of at most `limit` bytes.
///
/// Throws `FileError`; nothing is created or changed. A FIFO or a device is refused without waiting for it.
public func readFile(
    _ path: String, limit: Int, privacy: FilePrivacy = .any
) throws(FileError) -> [UInt8] {
    let descriptor = try openFile(path, O_RDONLY, privacy: privacy)
    defer { close(descriptor) }
    // One more byte, to detect a file that grows meanwhile.
    guard let bytes = readAll(from: descriptor, limit: limit + 1) else { throw FileError(errno: errno, path: path) }
    guard bytes.count <= limit else { throw .tooLarge(path: path, limit: limit) }
    return bytes
}

/// Reads to the end, or the first `limit` bytes. Nil on failure, with `errno` set.
public func readAll(from descriptor: Int32, limit: Int) -> [UInt8]? {
    var failure: Int32 = 0
    let bytes = [UInt8](unsafeUninitializedCapacity: limit) { buffer, count in
        while count < buffer.count {
            let got = read(descriptor, buffer.baseAddress.map { $0 + count }, buffer.count - count)
            if got < 0, errno == EINTR { continue }
            if got < 0 { failure = errno }
            if got <= 0 { return }
            count += got
        }
    }
    errno = failure
    return failure == 0 ? bytes : nil
}

/// The names of a directory's entries, in no particular order, without `.` and `..`.
public func fileNames(in directory: String) throws(FileError) -> [String] {
    guard let stream = opendir(directory) else { throw FileError(errno: errno, path: directory) }
    defer { closedir(stream) }
    var names: [String] = []
    while true {
        // Only errno distinguishes the end from a failure (readdir(3)).
        errno = 0
        guard let entry = readdir(stream) else { break }
        let name = withUnsafeBytes(of: &entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        if name != "." && name != ".." { names.append(name) }
    }
    guard errno == 0 else { throw FileError(errno: errno, path: directory) }
    return names
}

/// The same for a search: also empty if the directory is missing or cannot be read.
public func readableFileNames(in directory: String) -> [String] {
    // `try?`: an unreadable directory has no matches.
    (try? fileNames(in: directory)) ?? []
}

/// The first line of a file in sysfs; nil if it cannot be read.
public func fileWord(_ path: String) -> String? {
    // `try?`: a file that cannot be read counts as absent.
    (try? readFile(path, limit: 4096)).map {
        String(decoding: $0.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
    }
}
