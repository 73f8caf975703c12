import Foundation
import Testing
import Store

@testable import anicca

/// The key as an encrypted credential, with the real systemd-creds.
@Suite(.enabled(if: SystemdCredentials.work, "needs root and systemd-creds with a key of this machine"))
struct EncryptedKeyTests {
    private let device: TestDevice
    private let place = SealedPlace(table: "test")

    init() throws { device = try TestDevice() }

    private func key(of content: [UInt8], name: String = Vault.credentialName) throws -> EncryptedKey {
        let path = device.path("credential")
        try #require(SystemdCredentials.encrypt(content, name: name, to: path) == 0)
        return EncryptedKey(path: path)
    }

    @Test func whatSystemdEncryptedOpens() throws {
        let bytes = [UInt8](100..<132)
        let sealed = try key(of: bytes).open().seal([5], for: place)
        #expect(try Vault(key: bytes).open(sealed, for: place) == [5])
    }

    @Test func aCredentialForSomethingElseStaysShut() throws {
        let key = try key(of: [UInt8](100..<132), name: "other.key")
        #expect(throws: VaultError.credentialShut(path: key.path)) { try key.open() }
    }

    @Test func rubbishStaysShut() throws {
        try device.write("credential", "no credential at all")
        let key = EncryptedKey(path: device.path("credential"))
        #expect(throws: VaultError.credentialShut(path: key.path)) { try key.open() }
    }
}

private enum SystemdCredentials {
    /// Whether this machine can keep a credential at all.
    static let work: Bool = {
        let path = NSTemporaryDirectory() + "credential-\(UUID())"
        defer { unlink(path) }
        do {
            return try geteuid() == 0 && encrypt([1], name: "test", to: path) == 0
        } catch {
            return false
        }
    }()

    /// Returns the exit status of systemd-creds.
    static func encrypt(_ content: [UInt8], name: String, to path: String) throws -> Int32 {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/systemd-creds")
        process.arguments = ["encrypt", "--with-key=host", "--name=\(name)", "-", path]
        let input = Pipe()
        process.standardInput = input
        process.standardError = FileHandle.nullDevice
        try process.run()
        try input.fileHandleForWriting.write(contentsOf: Data(content))
        try input.fileHandleForWriting.close()
        process.waitUntilExit()
        return process.terminationStatus
    }
}
