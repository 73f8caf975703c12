import CZlib
import Glibc

/// The lines of a text file, plain, gzip (zlib tells by the first bytes) or in a ZIP archive, one at a time.
///
/// Holds one buffer and one line in memory, however long the file is; of an archive the table as it is packed. Owns the open file.
final class TextLines {
    /// Longer lines are refused: a file without line ends must not fill the memory.
    static let longest = 4096

    let path: String
    /// The number of the line that `next` returned last; 0 before the first.
    private(set) var number = 0
    /// The bytes of that line, without its line end (`\n` or `\r\n`).
    private(set) var line: [UInt8] = []
    /// Whether that line had a line end.
    private(set) var isTerminated = false

    private let file: gzFile
    private var buffer = [UInt8](repeating: 0, count: 32 * 1024)
    private var position = 0
    private var filled = 0
    /// zlib's status after the latest read, and the system's error text for `Z_ERRNO`.
    private var status: Int32 = Z_OK
    private var reason = ""

    /// The path that stands for standard input.
    static let standardInput = "-"

    /// - Throws: `unreadable`, also for a directory, a FIFO or a device. Never blocks, but on standard input.
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
    }

    /// The descriptor, or that of the table in the ZIP archive that it is; it is closed then, and where there is none.
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

    deinit { gzclose_r(file) }

    /// Moves on to the next line; false at the end of the file. After an error there is nothing more to read.
    func next() throws(RecordingError) -> Bool {
        line.removeAll(keepingCapacity: true)
        isTerminated = false
        var isOpen = false
        while true {
            if position == filled, try !refill() {
                if isOpen { closeLine() }
                return isOpen
            }
            isOpen = true
            let rest = buffer[position..<filled]
            let end = rest.firstIndex(of: UInt8(ascii: "\n"))
            let part = buffer[position..<(end ?? filled)]
            guard line.count + part.count <= Self.longest else {
                throw .brokenRow(file: path, line: number + 1, .tooLong(limit: Self.longest))
            }
            line.append(contentsOf: part)
            position = end.map { $0 + 1 } ?? filled
            if end != nil {
                isTerminated = true
                closeLine()
                return true
            }
        }
    }

    private func closeLine() {
        number += 1
        if line.last == UInt8(ascii: "\r") { line.removeLast() }
    }

    /// Fills the buffer; false at the end of the file.
    private func refill() throws(RecordingError) -> Bool {
        position = 0
        filled = 0
        try checkStream()
        let count = buffer.withUnsafeMutableBytes { gzread(file, $0.baseAddress, UInt32($0.count)) }
        reason = String(cString: strerror(errno))
        gzerror(file, &status)
        guard count > 0 else {
            try checkStream()
            return false
        }
        filled = Int(count)
        return true
    }

    /// Throws the error of the latest read. A truncated stream reads like its end: only the read that reaches the cut
    /// reports it, beside the last bytes that it returns; from zlib 1.3.2 on, later reads do not (zlib.h, gzread and
    /// gzerror).
    private func checkStream() throws(RecordingError) {
        switch status {
        case Z_OK, Z_STREAM_END: break
        case Z_ERRNO: throw .unreadable(file: path, reason: reason)
        default: throw .damagedArchive(file: path, line: number)
        }
    }
}

/// The reason not to read the file; nil for a regular file.
private func reasonNotToRead(_ descriptor: Int32) -> String? {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { return String(cString: strerror(errno)) }
    switch status.st_mode & S_IFMT {
    case S_IFREG: return nil
    case S_IFDIR: return String(cString: strerror(EISDIR))
    default: return "not a regular file"
    }
}
