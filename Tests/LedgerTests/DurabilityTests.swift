import Domains
import Core
import RightClock
import Testing

@testable import Store

/// A store after a power cut: it must open with every prefix of the bytes that were being written.
@Suite struct DurabilityTests {

    @Test func whatWasCommittedSurvivesACutWithoutClosing() throws {
        let store = try TestStore()
        let ledger = try store.open()
        try ledger.allowMotionAndSteps()
        for count in 0..<20 {
            let day = someDay + count
            try ledger.commit(Batch(checkpoint: [UInt8(count)], closedDays: [.usual(day)]))
            let after = try store.cut().open()
            #expect(after.movedAside == nil)
            #expect(try after.state() == [UInt8(count)])
            #expect(try after.days(limit: 99).count == count + 1)
            #expect(try after.queued().count == count + 1)
        }
    }

    /// Every byte of a commit of the state alone, and bytes around every frame boundary of one that closes a day.
    @Test(arguments: [true, false])
    func aCutInsideTheLatestCommitLeavesTheOneBefore(closesDay: Bool) throws {
        let store = try TestStore()
        let ledger = try store.open()
        try ledger.allowMotionAndSteps()
        let first = [UInt8](repeating: 1, count: 400)
        let second = [UInt8](repeating: 2, count: 400)
        try ledger.commit(Batch(checkpoint: first))
        let before = store.usedLog().count
        try ledger.commit(Batch(checkpoint: second, closedDays: closesDay ? [.usual(someDay)] : []))
        let file = store.bytes()
        let log = store.usedLog()
        #expect(closesDay || log.count == before + TestStore.frame, "a checkpoint costs one frame")

        for length in before...log.count
        where !closesDay || [0, 1, 12, 23, 24, 25, 600, 1047].contains((length - before) % TestStore.frame) {
            for rest in [[], [UInt8](repeating: 0, count: log.count - length)] {
                let written = Array(log[..<length]) + rest
                // Nothing is missing either if the bytes cut off were all zero.
                let isWhole = written == log
                let cut = try TestStore()
                try cut.write(file)
                try cut.write(written, to: "-wal")
                let reopened = try cut.open(.visitor)
                #expect(try reopened.state() == (isWhole ? second : first), "cut at \(length) of \(log.count)")
                #expect(try reopened.queued().count == (isWhole && closesDay ? 1 : 0))
                #expect(try reopened.days(limit: 1).count == (isWhole && closesDay ? 1 : 0))
            }
        }
    }

    /// A file that grows makes the file system write its length with every commit.
    @Test func theLogDoesNotGrowWithItsCommits() throws {
        let store = try TestStore()
        let ledger = try store.open()
        let length = store.bytes("-wal").count
        try ledger.allowMotionAndSteps()
        for count in 0..<400 {
            try ledger.commit(Batch(checkpoint: [UInt8](repeating: UInt8(count % 256), count: 300)))
        }
        #expect(store.bytes("-wal").count == length)
        #expect(length > store.usedLog().count)
        #expect(try store.cut().open().state()?.count == 300)
    }

    @Test func oneThatIsNotTheKeeperLeavesTheLogAsItIs() throws {
        let store = try TestStore()
        do {
            let ledger = try store.open()
            try ledger.allowMotionAndSteps()
            try ledger.database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        }
        let visitor = try store.open(.visitor)
        #expect(store.bytes("-wal").count < TestStore.frame)
        withExtendedLifetime(visitor) {}
    }

    @Test func aCutWhileTheLogIsFoldedInLosesNothing() throws {
        let store = try TestStore()
        let ledger = try store.open()
        try ledger.allowMotionAndSteps()
        for count in 0..<12 {
            try ledger.commit(Batch(checkpoint: [UInt8(count)], closedDays: [.usual(someDay + count)]))
        }
        let old = store.bytes()
        let log = store.bytes("-wal")
        try ledger.database.execute("PRAGMA wal_checkpoint(PASSIVE)")
        let new = store.bytes()
        #expect(new.count > old.count)
        for length in stride(from: 0, through: new.count, by: 509) {
            let cut = try TestStore()
            try cut.write(Array(new[..<length]) + old.dropFirst(length))
            try cut.write(log, to: "-wal")
            let reopened = try cut.open()
            #expect(reopened.movedAside == nil)
            #expect(try reopened.isSound(), "cut at \(length) of \(new.count)")
            #expect(try reopened.state() == [11] && reopened.days(limit: 99).count == 12)
        }
    }

    @Test func aCutWhileTheStoreIsMadeLeavesOneThatOpens() throws {
        let store = try TestStore()
        let ledger = try store.open()
        let file = store.bytes()
        let log = store.usedLog()
        for length in stride(from: 0, to: log.count, by: 97) {
            let cut = try TestStore()
            try cut.write(file)
            try cut.write(Array(log[..<length]), to: "-wal")
            let reopened = try cut.open()
            #expect(reopened.movedAside == nil, "cut at \(length) of \(log.count)")
            #expect(try reopened.consent() == TestStore.noConsent)
            try reopened.commit(Batch(checkpoint: [1]))
        }
        withExtendedLifetime(ledger) {}
        let empty = try TestStore()
        try empty.write([])
        #expect(try empty.open().movedAside == nil)
    }
}
