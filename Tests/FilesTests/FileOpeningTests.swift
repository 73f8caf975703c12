import Glibc
import TestFiles
import Testing

@testable import System

/// What may lie in the place of a file: nothing but the file itself is followed, waited for, read or changed.
@Suite struct FileOpeningTests {
    let directory: TemporaryDirectory
    private var path: String { directory.path + "/file" }

    init() throws { directory = try TemporaryDirectory() }

    enum Thing: String, CaseIterable, Sendable {
        case linkToADevice, linkToAFile, brokenLink, fifo, directory
    }

    /// Returns what it is called.
    private func put(_ thing: Thing) throws -> FileKind {
        switch thing {
        case .linkToADevice: #expect(symlink("/dev/zero", path) == 0)
        case .linkToAFile: #expect(symlink(try directory.write("other", "1234"), path) == 0)
        case .brokenLink: #expect(symlink(directory.path + "/none", path) == 0)
        case .fifo:
            #expect(mkfifo(path, 0o600) == 0)
            return .fifo
        case .directory:
            #expect(mkdir(path, 0o700) == 0)
            return .directory
        }
        return .symbolicLink
    }

    @Test(arguments: Thing.allCases) func whatIsNoFileIsRefusedAndNamed(thing: Thing) throws {
        let error = FileError.notRegular(path: path, try put(thing))
        for flags in [O_RDONLY, O_WRONLY, O_RDWR | O_CREAT] {
            for privacy in [FilePrivacy.own, .shared] {
                #expect(throws: error) { try openFile(path, flags, privacy: privacy) }
            }
        }
        #expect(throws: error) { try checkOwnFile(path, limit: 9) }
        #expect(
            error.description.contains("\(path): it is a ") && error.description.contains("put the file itself there"))
        #expect(throws: error) { try RunLock(path: path) }
        #expect(throws: error) { try RunLock.holder(path: path) }
        #expect(access(directory.path + "/none", F_OK) != 0, "nothing is made behind a link")
    }

    @Test func aLinkIsFollowedWhereTheAdministratorMayPutOne() throws {
        #expect(symlink(try directory.write("other", "1234"), path) == 0)
        #expect(try readFile(path, limit: 9) == Array("1234".utf8))
        unlink(path)
        #expect(symlink("/dev/zero", path) == 0)
        #expect(throws: FileError.notRegular(path: path, .device)) { try readFile(path, limit: 9) }
    }

    @Test(arguments: [(0o600, true), (0o400, true), (0o640, false), (0o604, false), (0o622, false)])
    func onlyTheOwnerReachesWhatIsOurs(mode: Int, isRead: Bool) throws {
        try directory.write("file", "1234", mode: mode)
        if isRead {
            #expect(try readFile(path, limit: 9, privacy: .own).count == 4)
        } else {
            let error = FileError.exposed(path: path, mode: UInt32(mode) | UInt32(S_IFREG))
            #expect(throws: error) { try readFile(path, limit: 9, privacy: .own) }
            #expect(throws: error) { try checkOwnFile(path, limit: 9) }
        }
    }

    @Test func anotherUsersFileIsRefused() throws {
        guard geteuid() == 0 else { return }
        try directory.write("file", "1234", mode: 0o600)
        #expect(chown(path, 4711, 4711) == 0)
        let error = FileError.foreign(path: path, owner: 4711)
        #expect(throws: error) { try readFile(path, limit: 9, privacy: .own) }
        #expect(throws: error) { try checkOwnFile(path, limit: 9) }
        #expect(error.description.hasSuffix("chown 0 \(path)"))
    }

    @Test func aFileThatIsTooLargeIsNotGivenToALibrary() throws {
        try directory.write("file", "1234", mode: 0o600)
        try checkOwnFile(path, limit: 4)
        #expect(throws: FileError.tooLarge(path: path, limit: 3)) { try checkOwnFile(path, limit: 3) }
        #expect(throws: FileError.absent(path: path + "-wal")) { try checkOwnFile(path + "-wal", limit: 3) }
    }

    @Test func aFileIsReplacedWholeOrNotAtAll() throws {
        let draft = path + ".new"
        try replaceFile(path, with: [1], draft: draft)
        try directory.write("file.new", "left by a kill")
        try replaceFile(path, with: [2, 3], draft: draft)
        #expect(try readFile(path, limit: 9, privacy: .own) == [2, 3])
        unlink(path)
        #expect(mkdir(path, 0o700) == 0)
        #expect(throws: FileError.failed(path: path, errno: EISDIR)) { try replaceFile(path, with: [4], draft: draft) }
        #expect(access(draft, F_OK) != 0)
    }
    @Test func aFileThatMayNotBeReplacedStays() throws {
        let draft = path + ".new"
        #expect(makeFile(draft, [1], mode: 0o662) == 0)
        var status = stat()
        #expect(stat(draft, &status) == 0 && status.st_mode & 0o777 == 0o662, "whatever the umask is")
        #expect(makeFile(draft, [2]) == EEXIST)
        #expect(placeFile(draft, at: path, replaces: false) == 0 && !fileExists(draft))
        #expect(makeFile(draft, [2]) == 0)
        #expect(placeFile(draft, at: path, replaces: false) == EEXIST && !fileExists(draft))
        #expect(try readFile(path, limit: 9) == [1])
    }

    @Test(arguments: zip(["/a/b/c", "/a", "a/b", "a"], ["/a/b", "/", "a", "."]))
    func aPathHasADirectory(path: String, directory: String) { #expect(System.directory(of: path) == directory) }
}
