import Foundation
import System
import Core
import Testing

extension UploadProgramTests {
    /// Otherwise every day that was delivered since the copy would be sent again, under another key.
    @Test func anOlderCopyOfTheStoreIsRefusedAndNothingOfItIsSent() throws {
        let receiver = try ReceiverProcess(token: Bench.token, misbehave: nil)
        try bench.signIn(to: receiver.address)
        try bench.queue(days: 1)
        #expect(bench.ledger.scrub())
        let path = bench.settings.store.ledgerPath
        let old = try Data(contentsOf: URL(fileURLWithPath: path))
        #expect(try run().code == 0)
        #expect(try receiver.records().count == 1)
        for suffix in ["-wal", "-shm"] { unlink(path + suffix) }
        try old.write(to: URL(fileURLWithPath: path))
        chmod(path, 0o600)
        let result = try run()
        #expect(result.code == ExitCode.unavailable.rawValue && result.log.contains("put back from an older copy"))
        #expect(try receiver.records().count == 1)
    }

    @Test func aDirectoryThatMayNotBeEnteredIsNoMissingStore() throws {
        let file = bench.directory.appendingPathComponent("file")
        try Data().write(to: file)
        bench.settings.store.directory = file.path
        let result = try run()
        #expect(result.code == ExitCode.noPermission.rawValue && result.log.contains(bench.settings.store.ledgerPath))
    }
}
