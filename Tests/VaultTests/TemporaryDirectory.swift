import Foundation

/// A directory that is removed with the last reference to it.
final class TemporaryDirectory {
    let path: String

    init() throws {
        path = NSTemporaryDirectory() + "vault-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func file(_ name: String) -> String { "\(path)/\(name)" }

    /// Makes a file with exactly this content and mode, and returns its path.
    @discardableResult
    func make(_ name: String, _ content: [UInt8], mode: Int = 0o600) throws -> String {
        try Data(content).write(to: URL(fileURLWithPath: file(name)))
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file(name))
        return file(name)
    }

    func content(of name: String) throws -> [UInt8] { Array(try Data(contentsOf: URL(fileURLWithPath: file(name)))) }
    func names() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: path).sorted() }
}
