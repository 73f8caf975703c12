import Foundation

/// Standard output, written in large pieces.
struct Output {
    private let name: String
    private var bytes = Data()
    private static let size = 65_536

    /// `name`: what is written, for the message of a failure.
    init(_ name: String) { self.name = name }

    mutating func put(_ more: some Collection<UInt8>) throws {
        bytes.append(contentsOf: more)
        if bytes.count >= Output.size { try flush() }
    }

    mutating func put(_ text: String) throws { try put(text.utf8) }

    mutating func flush() throws {
        do {
            try FileHandle.standardOutput.write(contentsOf: bytes)
        } catch {
            throw Stop(.unavailable, "\(name) could not be written (\(error.localizedDescription)); it is not complete")
        }
        bytes.removeAll(keepingCapacity: true)
    }
}
