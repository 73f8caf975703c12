import System
import TestFiles
import Testing

@Suite struct RunLockTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    @Test func onlyOneHasTheLockUntilItLetsGo() throws {
        let path = directory.path + "/run.lock"
        do {
            let lock = try #require(try RunLock(path: path))
            #expect(try RunLock(path: path) == nil)
            withExtendedLifetime(lock) {}
        }
        #expect(try RunLock(path: path) != nil)
    }

    @Test func withoutItsDirectoryTheLockSaysSo() {
        #expect(throws: FileError.absent(path: "/nonexistent/run.lock")) { try RunLock(path: "/nonexistent/run.lock") }
    }
}
