import Foundation
import Testing
import Store

@Suite struct KeyTests {
    let directory: TemporaryDirectory
    let keyFile: String
    let place = SealedPlace(table: "test")
    let key = [UInt8](100..<132)

    init() throws {
        directory = try TemporaryDirectory()
        keyFile = directory.file("anicca.key")
    }

    private func load(credentials: String? = nil, create: Bool = false) throws(VaultError) -> Vault {
        try Vault.load(credentialDirectory: credentials, keyFile: keyFile, createIfMissing: create)
    }

    @Test func theFirstStartMakesAPrivateKeyAndTheNextUsesIt() throws {
        let sealed = try load(create: true).seal([1, 2, 3], for: place)
        let attributes = try FileManager.default.attributesOfItem(atPath: keyFile)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        #expect(try directory.content(of: "anicca.key").count == Vault.keyLength)
        #expect(try load(create: true).open(sealed, for: place) == [1, 2, 3])
        #expect(try load().open(sealed, for: place) == [1, 2, 3])
        #expect(try directory.names() == ["anicca.key"], "no draft is left behind")
    }

    @Test func eachDeviceMakesAnotherKey() throws {
        let other = try TemporaryDirectory()
        _ = try load(create: true)
        _ = try Vault.load(credentialDirectory: nil, keyFile: other.file("k"), createIfMissing: true)
        #expect(try directory.content(of: "anicca.key") != other.content(of: "k"))
    }

    @Test func processesThatStartTogetherAgreeOnOneKey() async throws {
        let file = keyFile
        let sealed = try await withThrowingTaskGroup(of: [UInt8].self) { group in
            for _ in 0..<8 {
                group.addTask {
                    try Vault.load(credentialDirectory: nil, keyFile: file, createIfMissing: true)
                        .seal([7], for: SealedPlace(table: "test"))
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        let vault = try load()
        for bytes in sealed { #expect(try vault.open(bytes, for: place) == [7]) }
    }

    @Test func noKeyIsMadeUnlessAskedFor() {
        #expect(throws: VaultError.keyMissing(path: keyFile)) { try load() }
        #expect(!FileManager.default.fileExists(atPath: keyFile))
    }

    @Test(arguments: [0o604, 0o640, 0o602, 0o620, 0o601, 0o666])
    func aKeyThatOthersCanReachIsRefused(mode: Int) throws {
        try directory.make("anicca.key", key, mode: mode)
        #expect(throws: VaultError.keyRefused(path: keyFile, .exposed(mode: UInt32(mode)))) { try load(create: true) }
    }

    @Test func anotherUsersKeyIsRefused() throws {
        guard geteuid() == 0 else { return }
        try directory.make("anicca.key", key)
        #expect(chown(keyFile, 4711, 4711) == 0)
        #expect(throws: VaultError.keyRefused(path: keyFile, .foreign(owner: 4711))) { try load(create: true) }
    }

    @Test(arguments: [0, 31, 33, 64])
    func aKeyOfWrongLengthIsRefusedAndKept(length: Int) throws {
        let content = [UInt8](repeating: 9, count: length)
        try directory.make("anicca.key", content)
        #expect(throws: VaultError.keyRefused(path: keyFile, .wrongLength(length))) { try load(create: true) }
        #expect(try directory.content(of: "anicca.key") == content)
    }

    @Test(arguments: ["link", "directory", "pipe without a writer"])
    func whatIsNoFileIsRefused(kind: String) throws {
        switch kind {
        case "link": symlink(try directory.make("elsewhere", key), keyFile)
        case "directory": mkdir(keyFile, 0o700)
        default: mkfifo(keyFile, 0o600)
        }
        #expect(throws: VaultError.keyRefused(path: keyFile, .notRegular)) { try load(create: true) }
    }

    @Test func aMissingDirectoryIsSaid() {
        let path = directory.file("no/such.key")
        #expect(throws: VaultError.keyUnavailable(path: path, errno: ENOENT)) {
            try Vault.load(credentialDirectory: nil, keyFile: path, createIfMissing: true)
        }
    }

    @Test func theCredentialComesBeforeTheKeyFile() throws {
        let credentials = try TemporaryDirectory()
        try credentials.make(Vault.credentialName, key, mode: 0o440)
        try directory.make("anicca.key", [UInt8](repeating: 1, count: 32))
        let sealed = try Vault(key: key).seal([5], for: place)
        #expect(try load(credentials: credentials.path).open(sealed, for: place) == [5])
    }

    @Test func withoutTheCredentialTheKeyFileIsUsed() throws {
        let credentials = try TemporaryDirectory()
        try directory.make("anicca.key", key)
        let sealed = try Vault(key: key).seal([5], for: place)
        #expect(try load(credentials: credentials.path).open(sealed, for: place) == [5])
    }

    @Test func aBadCredentialIsNotPassedOverInSilence() throws {
        let credentials = try TemporaryDirectory()
        let path = try credentials.make(Vault.credentialName, [1, 2, 3])
        #expect(throws: VaultError.keyRefused(path: path, .wrongLength(3))) {
            try load(credentials: credentials.path, create: true)
        }
        #expect(!FileManager.default.fileExists(atPath: keyFile))
    }

    @Test func aKeyComesOutOfAPipeInPieces() throws {
        let pipe = Pipe()
        let (pieces, writer) = ([Array(key[..<10]), Array(key[10...])], pipe.fileHandleForWriting)
        Thread.detachNewThread {
            for piece in pieces { try? writer.write(contentsOf: Data(piece)) }
            try? writer.close()
        }
        let vault = try Vault(readingKeyFrom: pipe.fileHandleForReading.fileDescriptor, of: "/k")
        #expect(try vault.open(try Vault(key: key).seal([5], for: place), for: place) == [5])
    }

    @Test(arguments: [0, 31, 33, 64])
    func aPipeWithAnotherLengthIsNoKey(length: Int) throws {
        let pipe = Pipe()
        try pipe.fileHandleForWriting.write(contentsOf: Data(count: length))
        try pipe.fileHandleForWriting.close()
        #expect(throws: VaultError.keyRefused(path: "/k", .wrongLength(min(length, 33)))) {
            try Vault(readingKeyFrom: pipe.fileHandleForReading.fileDescriptor, of: "/k")
        }
    }

    @Test func messagesSayWhatWhereAndWhatToDo() {
        let exposed = VaultError.keyRefused(path: "/k", .exposed(mode: 0o644))
        #expect(exposed.description == "the key /k has mode 0644, so others can reach it: chmod 0600 /k")
        let missing = VaultError.keyMissing(path: "/k").description
        #expect(
            missing.contains("no key at /k: put the key back") && !missing.contains("aniccad"), "aniccad says it too")
        #expect(VaultError.keyUnavailable(path: "/k", errno: EACCES).description.contains("Permission denied"))
    }
}
