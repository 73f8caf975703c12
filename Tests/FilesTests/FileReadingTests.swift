import Glibc
import TestFiles
import Testing

@testable import System

@Suite struct FileReadingTests {
    let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    @Test func aFileIsReadWholeUpToTheLimit() throws {
        let path = try directory.write("a", "12345")
        #expect(try readFile(path, limit: 5) == Array("12345".utf8))
        #expect(throws: FileError.tooLarge(path: path, limit: 4)) { try readFile(path, limit: 4) }
        #expect(try readFile(directory.write("empty", ""), limit: 0) == [])
    }

    @Test func onlyRegularFilesAreRead() throws {
        #expect(throws: FileError.notRegular(path: directory.path, .directory)) {
            try readFile(directory.path, limit: 9)
        }
        let fifo = directory.path + "/fifo"
        mkfifo(fifo, 0o600)
        #expect(throws: FileError.notRegular(path: fifo, .fifo)) { try readFile(fifo, limit: 9) }
        let absent = directory.path + "/absent"
        #expect(throws: FileError.absent(path: absent)) { try readFile(absent, limit: 9) }
    }

    @Test func aReadOnlyFileSystemIsNotCalledALackOfPermission() {
        let error = FileError(errno: 30, path: "/f")  // EROFS
        #expect(error == .readOnly(path: "/f") && error.description.contains("the file system is read-only"))
    }

    @Test(arguments: [
        (0o600, true), (0o400, true), (0o440, true), (0o640, true), (0o644, false), (0o660, false), (0o602, false),
    ])
    func aSecretThatOthersMayReachIsRefused(mode: Int, isRead: Bool) throws {
        let path = try directory.write("token", "secret", mode: mode)
        if isRead {
            #expect(try readFile(path, limit: 9, privacy: .secret).count == 6)
        } else {
            let error = FileError.exposed(path: path, mode: UInt32(mode) | UInt32(S_IFREG))
            #expect(throws: error) { try readFile(path, limit: 9, privacy: .secret) }
            let words = "its mode 0\(String(mode, radix: 8)) opens it to others: chmod 600 \(path)"
            #expect(error.description == "\(path): holds a secret, but \(words)")
        }
    }
}
