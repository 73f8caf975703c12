import Foundation

/// An empty directory that any user may enter, removed with everything in it when `body` returns.
func withScratchDirectory(_ body: (String) throws -> Void) throws {
    let directory = FileManager.default.temporaryDirectory.appendingPathComponent("anicca-\(UUID().uuidString)")
    try FileManager.default.createDirectory(
        at: directory, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o755])
    defer { try? FileManager.default.removeItem(at: directory) }
    try body(directory.path)
}

/// Makes an empty file with the permission bits `mode`.
func makeFile(_ path: String, mode: Int = 0o600) throws {
    try Data().write(to: URL(fileURLWithPath: path))
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
}
