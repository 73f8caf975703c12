import Domains
import System
import Foundation
import Testing

@testable import Store

/// Whatever lies in the place of a file of the store but that file is no damage: it is refused, and nothing is lost once the file is back.
@Suite struct OwnFilesTests {
    let store: TestStore

    init() throws {
        store = try TestStore()
        let ledger = try store.open()
        try ledger.allowMotionAndSteps()
        try ledger.commit(Batch(checkpoint: [7]))
        // Its log stays.
        ledger.database.abandon()
    }

    enum Thing: CaseIterable, Sendable {
        case linkToADevice, linkToItself, fifo, directory, huge, readable, foreign
    }

    /// Takes the file away, puts the thing there, and takes that back after `body`.
    private func with(_ thing: Thing, at path: String, _ body: () throws -> Void) throws {
        let kept = store.directory + "-kept"
        #expect(rename(path, kept) == 0 || errno == ENOENT)
        let wasThere = access(kept, F_OK) == 0
        defer { if wasThere { #expect(rename(kept, path) == 0) } }
        switch thing {
        case .linkToADevice: #expect(symlink("/dev/zero", path) == 0)
        case .linkToItself: #expect(symlink(kept, path) == 0)
        case .fifo: #expect(mkfifo(path, 0o600) == 0)
        case .directory: #expect(mkdir(path, 0o700) == 0)
        case .huge:
            try Data([1]).write(to: URL(fileURLWithPath: path))
            #expect(chmod(path, 0o600) == 0 && truncate(path, 1 << 40) == 0)
        case .readable, .foreign:
            try Data([1]).write(to: URL(fileURLWithPath: path))
            #expect(chmod(path, thing == .readable ? 0o644 : 0o600) == 0)
            if thing == .foreign { #expect(chown(path, 4711, 4711) == 0) }
        }
        defer { remove(path) }
        try body()
    }

    private func refuses(_ role: Ledger.Role, _ path: String) {
        do {
            _ = try store.open(role)
            Issue.record("it opened")
        } catch let error as LedgerError {
            guard case .refused(let fault) = error else {
                Issue.record("\(error)")
                return
            }
            #expect(fault.path == path && "\(error)".contains("\(path): "))
            #expect(error.exitCode(for: role) != .temporary)
        } catch {
            Issue.record("\(error)")
        }
    }

    private func check() throws {
        let ledger = try store.open()
        #expect(try ledger.movedAside == nil && !ledger.lacksCommits && ledger.state() == [7])
        #expect(try ledger.anchorFault == nil && ledger.consent().isTrusted)
    }

    @Test(arguments: Thing.allCases, ["", "-wal", "-shm", "-journal"])
    func whateverLiesInTheStoresPlaceIsLeftAlone(thing: Thing, suffix: String) throws {
        guard thing != .foreign || geteuid() == 0 else { return }
        try with(thing, at: store.path + suffix) {
            let names = try store.names()
            for role in [Ledger.Role.keeper, .visitor] { refuses(role, store.path + suffix) }
            #expect(try store.names() == names, "nothing is made or moved")
        }
        try check()
    }

    @Test(arguments: Thing.allCases)
    func whateverLiesInTheAnchorsPlaceIsLeftAlone(thing: Thing) throws {
        guard thing != .foreign || geteuid() == 0 else { return }
        let path = StoreAnchor(ofStoreAt: store.path).path
        try with(thing, at: path) {
            for role in [Ledger.Role.keeper, .visitor] { refuses(role, path) }
        }
        try check()
    }

    /// A FIFO would be waited for.
    @Test(arguments: Thing.allCases)
    func whateverLiesInThePlaceOfTheRunningStateIsNeitherReadNorErased(thing: Thing) throws {
        guard thing != .foreign || geteuid() == 0 else { return }
        let path = RunningState.path(in: store.directory)
        try with(thing, at: path) {
            let ledger = try store.open()
            #expect(throws: FileError.self) { try RunningState(path: path, of: ledger, boot: .unknown) }
            #expect(try store.open(.visitor).latestState(in: .unknown)?.bytes == [7])
            RunningState.erase(path)
            RunningState.eraseRecord(path)
            ledger.database.abandon()
        }
        try check()
    }

    /// As another program's, or one that a copy left with its mode: the day would be lost with the store.
    @Test func aFileThatMayNotBeWrittenIsNoDamage() throws {
        guard geteuid() != 0 else { return }
        for suffix in ["", "-wal"] {
            chmod(store.path + suffix, 0o400)
            for role in [Ledger.Role.keeper, .visitor] { refuses(role, store.path + suffix) }
            chmod(store.path + suffix, 0o600)
        }
        try check()
    }

    @Test func aDaemonThatRunsGoesOnOnceTheFileIsBack() throws {
        let ledger = try store.open()
        try with(.fifo, at: store.path) {
            #expect(throws: LedgerError.self) { try ledger.commit(Batch(checkpoint: [8])) }
            #expect(throws: LedgerError.refused(.notRegular(path: store.path, .fifo))) { try ledger.recover() }
            #expect(ledger.isClosed)
        }
        try ledger.recover()
        try ledger.commit(Batch(checkpoint: [9]))
        #expect(try ledger.state() == [9] && ledger.movedAside == nil)
    }
}
