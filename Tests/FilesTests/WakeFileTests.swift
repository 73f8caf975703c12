import Glibc
import TestFiles
import Testing

@testable import System

@Suite struct WakeFileTests {
    let directory: TemporaryDirectory
    let wakeFile: WakeFile

    init() throws {
        directory = try TemporaryDirectory()
        wakeFile = .daemon(in: directory.path)
    }

    @Test func aBellRingsUntilItIsAnswered() throws {
        #expect(!wakeFile.isSet)
        #expect(try !wakeFile.clear())
        try wakeFile.signal()
        try wakeFile.signal()
        #expect(wakeFile.isSet)
        #expect(!WakeFile.upload(in: directory.path).isSet)
        #expect(try wakeFile.clear())
        #expect(!wakeFile.isSet)
        #expect(try !wakeFile.clear())
    }

    @Test func aWatcherHearsItsOwnBellOnly() throws {
        let loop = try EpollLoop()
        let other = WakeFile.upload(in: directory.path)
        var heard = 0
        let watch = try wakeFile.watch(on: loop) {
            heard += 1
            if wakeFile.isSet { loop.stop() }
        }
        // Signals the file after every watch has seen the signal of the other file.
        let ringer = try loop.timer {
            do { try wakeFile.signal() } catch { Issue.record(error) }
        }
        let otherWatch = try other.watch(on: loop) { ringer.arm(at: loop.now.boot, slack: .zero) }
        try other.signal()
        _ = try loop.run()
        withExtendedLifetime((watch, otherWatch)) {}
        #expect(heard == 1)
    }

    @Test func aBellThatStillRingsIsHeardWhenItIsRungAgain() throws {
        try wakeFile.signal()
        let loop = try EpollLoop()
        let watch = try wakeFile.watch(on: loop) { loop.stop(1) }
        try wakeFile.signal()
        #expect(try loop.run() == 1)
        withExtendedLifetime(watch) {}
    }

    @Test func aBellWithoutADirectoryCannotRing() throws {
        let lost = WakeFile.upload(in: directory.path + "/absent")
        #expect(throws: FileError.absent(path: lost.path)) { try lost.signal() }
        #expect(try !lost.clear())
    }

    @Test func aSymbolicLinkIsNotFollowed() throws {
        let target = try directory.write("target", "kept")
        symlink(target, wakeFile.path)
        #expect(throws: FileError.notRegular(path: wakeFile.path, .symbolicLink)) { try wakeFile.signal() }
        try wakeFile.clear()
        #expect(try readFile(target, limit: 10) == Array("kept".utf8))
    }
}
