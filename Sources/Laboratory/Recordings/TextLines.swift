import CZlib
import Glibc

/// The lines of a text file, plain, gzip (detected by zlib) or in a ZIP archive, one at a time.
///
/// Keeps one buffer in memory, however long the file is; for an archive also the compressed table. Owns the open file.
final class TextLines {
    /// Longer lines are refused: a file without line breaks must not fill the memory.
    static let longest = 4096

    let path: String
    /// The number of the last line returned by `next`; 0 before the first.
    private(set) var number = 0
    /// The bytes of that line, without its line break (`\n` or `\r\n`). They are in the buffer, and valid until the
    /// next call of `next`.
    private(set) var line: Bytes
    /// Whether that line had a line break.
    private(set) var isTerminated = false

    private let file: gzFile
    /// The bytes of one read.
    private static let readAtOnce = 32 * 1024
    /// The beginning of a line, and the bytes read after it.
    private let buffer: UnsafeMutableBufferPointer<UInt8>
    /// The positions after the current line, and after the bytes read.
    private var position = 0
    private var filled = 0
    /// zlib's status after the last read, and the system's error text for `Z_ERRNO`.
    private var status: Int32 = Z_OK
    private var reason = ""

    /// The path that stands for standard input.
    static let standardInput = "-"

    /// - Throws: `unreadable`, also for a directory, a FIFO or a device. Blocks only on standard input.
    init(path: String) throws(RecordingError) {
        let isInput = path == Self.standardInput
        var descriptor = isInput ? dup(STDIN_FILENO) : open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard descriptor >= 0 else { throw .unreadable(file: path, reason: String(cString: strerror(errno))) }
        if !isInput, let reason = reasonNotToRead(descriptor) {
            close(descriptor)
            throw .unreadable(file: path, reason: reason)
        }
        if !isInput { descriptor = try Self.entry(of: descriptor, path) }
        guard let file = gzdopen(descriptor, "rb") else {
            close(descriptor)
            throw .unreadable(file: path, reason: "out of memory")
        }
        self.path = path
        self.file = file
        buffer = .allocate(capacity: Self.longest + Self.readAtOnce)
        buffer.initialize(repeating: 0)
        line = Bytes(base: UnsafeBufferPointer(buffer), bounds: 0..<0)
    }

    /// The descriptor, or that of the table in a ZIP archive; the original is then closed, as it is on failure.
    private static func entry(of descriptor: Int32, _ path: String) throws(RecordingError) -> Int32 {
        var start = [UInt8](repeating: 0, count: ZipEntry.signature.count)
        guard pread(descriptor, &start, start.count, 0) == start.count, start == ZipEntry.signature else {
            return descriptor
        }
        defer { close(descriptor) }
        do throws(ZipFault) {
            return try ZipEntry.open(in: descriptor)
        } catch {
            throw .unusableArchive(file: path, reason: error.reason)
        }
    }

    deinit {
        gzclose_r(file)
        buffer.deallocate()
    }

    /// Moves to the next line; false at the end of the file. Reading cannot continue after an error.
    func next() throws(RecordingError) -> Bool {
        var searched = position
        while true {
            let end = lineEnd(from: searched)
            guard (end ?? filled) - position <= Self.longest else {
                throw .brokenRow(file: path, line: number + 1, .tooLong(limit: Self.longest))
            }
            if let end {
                take(upTo: end)
                position = end + 1
                isTerminated = true
                return true
            }
            searched = filled - position
            if try !refill() { return takeLast() }
        }
    }

    /// Takes the rest of a file without a final line break; false if there is none.
    private func takeLast() -> Bool {
        isTerminated = false
        let isLine = position < filled
        if isLine { take(upTo: filled) }
        position = filled
        return isLine
    }

    private func take(upTo end: Int) {
        let hasReturn = end > position && buffer[end - 1] == UInt8(ascii: "\r")
        line = Bytes(base: UnsafeBufferPointer(buffer), bounds: position..<(hasReturn ? end - 1 : end))
        number += 1
    }

    /// The next line break in the buffer.
    private func lineEnd(from start: Int) -> Int? {
        guard let base = buffer.baseAddress, start < filled,
            let found = memchr(base + start, Int32(UInt8(ascii: "\n")), filled - start)
        else { return nil }
        return UnsafeRawPointer(base).distance(to: found)
    }

    /// Moves the beginning of a line to the front of the buffer and continues reading after it; false at the end of the
    /// file.
    private func refill() throws(RecordingError) -> Bool {
        let begun = filled - position
        if let base = buffer.baseAddress, position > 0 { memmove(base, base + position, begun) }
        (position, filled) = (0, begun)
        try checkStream()
        let free = UnsafeMutableBufferPointer(rebasing: buffer[begun..<begun + Self.readAtOnce])
        let count = gzread(file, free.baseAddress, UInt32(free.count))
        reason = String(cString: strerror(errno))
        gzerror(file, &status)
        guard count > 0 else {
            try checkStream()
            return false
        }
        filled += Int(count)
        return true
    }

    /// Throws the error of the last read. A truncated stream looks like its end: only the read that reaches the
    /// truncation reports it, together with the last bytes; from zlib 1.3.2 on, later reads do not (zlib.h, gzread and
    /// gzerror).
    private func checkStream() throws(RecordingError) {
        switch status {
        case Z_OK, Z_STREAM_END: break
        case Z_ERRNO: throw .unreadable(file: path, reason: reason)
        default: throw .damagedArchive(file: path, line: number)
        }
    }
}

/// Bytes of a line, or of a field in it.
typealias Bytes = Slice<UnsafeBufferPointer<UInt8>>

/// The reason to refuse the file; nil for a regular file.
private func reasonNotToRead(_ descriptor: Int32) -> String? {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { return String(cString: strerror(errno)) }
    switch status.st_mode & S_IFMT {
    case S_IFREG: return nil
    case S_IFDIR: return String(cString: strerror(EISDIR))
    default: return "not a regular file"
    }
}
