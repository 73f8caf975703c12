import Glibc
import TestFiles
import Testing

@testable import Files
@testable import Systemd

@Suite struct BellTests {
    let directory: TemporaryDirectory
    let bell: Bell

    init() throws {
        directory = try TemporaryDirectory()
        bell = .daemon(in: directory.path)
    }

    @Test func aBellRingsUntilItIsAnswered() throws {
        #expect(!bell.isRinging)
        #expect(try !bell.answer())
        try bell.ring()
        try bell.ring()
        #expect(bell.isRinging)
        #expect(!Bell.upload(in: directory.path).isRinging)
        #expect(try bell.answer())
        #expect(!bell.isRinging)
        #expect(try !bell.answer())
    }

    @Test func aWatcherHearsItsOwnBellOnly() throws {
        let loop = try SystemdLoop()
        let other = Bell.upload(in: directory.path)
        var heard = 0
        let watch = try bell.watch(on: loop) {
            heard += 1
            if bell.isRinging { loop.stop() }
        }
        // Rings the bell after every watch has seen that the other one rang.
        let ringer = try loop.timer {
            do { try bell.ring() } catch { Issue.record(error) }
        }
        let otherWatch = try other.watch(on: loop) { ringer.arm(at: loop.now.boot, slack: .zero) }
        try other.ring()
        _ = try loop.run()
        withExtendedLifetime((watch, otherWatch)) {}
        #expect(heard == 1)
    }

    @Test func aBellThatStillRingsIsHeardWhenItIsRungAgain() throws {
        try bell.ring()
        let loop = try SystemdLoop()
        let watch = try bell.watch(on: loop) { loop.stop(1) }
        try bell.ring()
        #expect(try loop.run() == 1)
        withExtendedLifetime(watch) {}
    }

    @Test func aBellWithoutADirectoryCannotRing() throws {
        let lost = Bell.upload(in: directory.path + "/absent")
        #expect(throws: FileError.absent(path: lost.path)) { try lost.ring() }
        #expect(try !lost.answer())
    }

    @Test func aSymbolicLinkIsNotFollowed() throws {
        let target = try directory.write("target", "kept")
        symlink(target, bell.path)
        #expect(throws: FileError.failed(path: bell.path, errno: ELOOP)) { try bell.ring() }
        try bell.answer()
        #expect(try readFile(target, limit: 10) == Array("kept".utf8))
    }
}
