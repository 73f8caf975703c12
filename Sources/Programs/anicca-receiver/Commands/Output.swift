import Foundation

/// Standard output, or a file that is replaced at the end; written in large pieces.
struct Output {
    private let name: String
    private let handle: FileHandle
    private let path: String?
    private var bytes = Data()
    private static let size = 65_536

    /// - Parameters:
    ///   - name: what is written, for the message of a failure.
    ///   - path: the file; nil for standard output.
    init(_ name: String, to path: String? = nil) throws {
        self.name = name
        self.path = path
        guard let path else {
            handle = .standardOutput
            return
        }
        let descriptor = open("\(path).new", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
        guard descriptor >= 0 else {
            throw Stop(.unavailable, "\(path).new cannot be written: \(String(cString: strerror(errno)))")
        }
        handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    }

    mutating func put(_ more: some Collection<UInt8>) throws {
        bytes.append(contentsOf: more)
        if bytes.count >= Output.size { try flush() }
    }

    mutating func put(_ text: String) throws { try put(text.utf8) }

    /// The end: everything is written, and the file is in its place.
    mutating func finish() throws {
        try flush()
        guard let path else { return }
        guard fsync(handle.fileDescriptor) == 0, rename("\(path).new", path) == 0 else {
            throw Stop(.unavailable, "\(path) cannot be replaced: \(String(cString: strerror(errno)))")
        }
    }

    private mutating func flush() throws {
        do {
            try handle.write(contentsOf: bytes)
        } catch {
            throw Stop(.unavailable, "\(name) could not be written (\(error.localizedDescription)); it is not complete")
        }
        bytes.removeAll(keepingCapacity: true)
    }
}
