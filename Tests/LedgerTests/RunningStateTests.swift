import Domains
import System
import Foundation
import Core
import RightClock
import Testing

@testable import Store

private let up = BootTime(nanoseconds: Interval.hours(1).nanoseconds)

/// What a killed program leaves behind its last commit.
@Suite struct RunningStateTests {
    let store: TestStore
    let ledger: Ledger
    var path: String { RunningState.path(in: store.directory) }

    init() throws {
        store = try TestStore()
        ledger = try store.open()
        try ledger.allowMotionAndSteps()
        try ledger.commit(Batch(checkpoint: [1]))
    }

    private func state(_ ledger: Ledger? = nil, boot: BootID = rightBoot) throws -> RunningState {
        try RunningState(path: path, of: ledger ?? self.ledger, boot: boot)
    }

    @Test func whatWasKeptIsThereAfterTheProcess() throws {
        try state().write([2, 3], consent: 4, at: up)
        #expect(try state(try store.open()).read() == StoredCheckpoint(bytes: [2, 3], consent: 4))
        try state().write([5], consent: 4, at: up)
        #expect(try state().read()?.bytes == [5], "the latest, though it is shorter")
    }

    @Test func whoVisitsTheStoreReadsItAndWritesNothing() throws {
        let running = try state()
        let visitor = try store.open(.visitor)
        #expect(try visitor.latestState(in: rightBoot)?.bytes == [1], "as it was committed")
        running.write([2, 3], consent: 4, at: up)
        let file = try Data(contentsOf: URL(fileURLWithPath: path))
        #expect(try visitor.latestState(in: rightBoot) == StoredCheckpoint(bytes: [2, 3], consent: 4))
        #expect(try visitor.latestState(in: .unknown)?.bytes == [1], "of another boot")
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == file)
        try ledger.commit(Batch(checkpoint: [9]))
        #expect(try visitor.latestState(in: rightBoot)?.bytes == [9])
    }

    @Test func nothingIsKeptBeforeTheFirstCommit() throws {
        let other = try TestStore()
        let ledger = try other.open()
        let path = RunningState.path(in: other.directory)
        try RunningState(path: path, of: ledger, boot: rightBoot).write([2], consent: 0, at: up)
        #expect(try RunningState(path: path, of: ledger, boot: rightBoot).read() == nil)
    }

    @Test func aCommitSinceMakesItInvalid() throws {
        let running = try state()
        running.write([2], consent: 4, at: up)
        try ledger.commit(Batch(checkpoint: [9]))
        #expect(try state().read() == nil)
        running.write([3], consent: 4, at: up)
        #expect(try state().read() == nil, "it follows the commit before")
        running.committed()
        running.write([4], consent: 4, at: up)
        #expect(try state().read()?.bytes == [4])
    }

    @Test func nothingOfBeforeACommitStaysInTheFile() throws {
        let running = try state()
        for _ in 0..<3 { running.write([UInt8](repeating: 7, count: 900), consent: 4, at: up) }
        try ledger.commit(Batch(checkpoint: [9]))
        running.committed()
        let file = try Data(contentsOf: URL(fileURLWithPath: path))
        #expect(file.count == 2 * RunningState.slotSize)
        for slot in 0..<2 { #expect(file[(slot * RunningState.slotSize)...].prefix(3900).allSatisfy { $0 == 0 }) }
    }

    @Test func aDeletionSinceMakesItInvalid() throws {
        let running = try state()
        running.write([2], consent: 4, at: up)
        _ = try ledger.forget([.motion], at: noon(someDay)) { $0 }
        #expect(try state().read() == nil)
        running.write([2], consent: 4, at: up)
        #expect(try state().read() == nil, "until the program has heard of it")
    }

    /// A state too long for its slot, or more than a state, which is noted by an empty one.
    @Test(arguments: [4000, 0]) func whatAProcessCouldNotCommitIsAGapForTheNext(length: Int) throws {
        try ledger.commit(Batch(checkpoint: [1], closedDays: [.usual(someDay)]))
        let running = try state()
        let up = try #require(ledger.storedBoots().last).log.seen
        running.write([2], consent: 4, at: up)
        #expect(running.lossSince == nil)
        for minutes in Int64(5)...6 {
            running.write([UInt8](repeating: 3, count: length), consent: 4, at: up + .minutes(minutes))
        }
        let next = try store.open()
        #expect(try state(next).lossSince == up && state(next).read()?.bytes == [2])
        next.noteUnsaved(up...up + .minutes(6), in: rightBoot)
        try next.commit(Batch(checkpoint: [4]))
        try next.commit(Batch(checkpoint: [4], closedDays: [.usual(someDay + 1)]))
        try next.commit(Batch(checkpoint: [4], closedDays: [.usual(someDay + 2)]))
        let deliveries = try next.dayDeliveries()
        #expect(deliveries == [someDay: .queued, someDay + 1: .incomplete, someDay + 2: .queued])
        let after = try state(next)
        after.committed()
        #expect(after.lossSince == nil && after.lostDomains.isEmpty)
        for hours in Int64(2)...3 { RunningState.noteLoss(at: path, since: up + .hours(hours)) }
        #expect(after.lossSince == up + .hours(2) && after.lostDomains == .everything)
    }

    /// Of motion something was collected, of steps nothing until the loss had begun; then of both.
    @Test func onlyTheFiguresOfDomainsThatLostSomethingAreNotSent() throws {
        try ledger.commit(Batch(checkpoint: [1], closedDays: [.usual(someDay)]))
        let running = try state()
        let up = try #require(ledger.storedBoots().last).log.seen
        running.write([2], consent: 4, at: up, losing: .everything)
        running.write([], consent: 4, at: up + .minutes(5), losing: [.motion])
        #expect(running.lostDomains == [.motion])
        let next = try store.open()
        next.noteUnsaved(up...up + .minutes(6), of: running.lostDomains, in: rightBoot)
        try next.commit(Batch(checkpoint: [4]))
        let lacking = try store.open().commit(Batch(checkpoint: [4], closedDays: [.usual(someDay + 1)]))
        #expect(lacking.incompleteDays == [someDay + 1: [.motion]] && lacking.closedDays == [someDay + 1])
        let later = try store.open()
        let sent = try later.queued().last?.content
        guard case .day(someDay + 1, let fields) = sent else {
            throw LedgerError.absent(path: "\(String(describing: sent))")
        }
        #expect(fields.map(\.figure) == [.steps])
        #expect(try later.days(limit: 1).first?.figures.map(\.figure).contains(.sedentaryMinutes) == true)
        #expect(try later.lackingDays().map(\.domains) == [[.motion]])
        #expect(try later.dayDeliveries()[someDay + 1] == .queued)
        running.write([], consent: 4, at: up + .minutes(6), losing: [.steps])
        #expect(running.lostDomains == [.motion, .steps] && running.lossSince == up)
    }

    /// A sleep that began in the evening is of the next day.
    @Test func aGapOfTheEveningIsOneOfTheSleepOfTheNextDay() throws {
        try ledger.commit(Batch(checkpoint: [1], closedDays: [.usual(someDay)]))
        let history = BootHistory(try ledger.storedBoots())
        let boot = try #require(history.boots.last)
        let clock = try #require(boot.log.clock)
        let day = clock.time(at: boot.log.seen).day
        for (hour, last) in [(Int64(11), day), (13, day + 1)] {
            var gap = StoreGap(from: .init(boot: boot.id, at: clock.boot(at: day.start + .hours(10))), of: [.sleep])
            gap.until = .init(boot: boot.id, at: clock.boot(at: day.start + .hours(hour)))
            #expect(gap.days(in: history, reach: Domain.sleep.reach).upperBound == last)
            #expect(gap.days(in: history) == day...day)
        }
    }

    /// As in a night, whose quarter hours are stored in the morning.
    @Test func aGapEndsWithTheNextStateAlsoWhereNoQuarterHourIsStored() throws {
        try ledger.commit(Batch(checkpoint: [1], closedDays: [.usual(someDay)]))
        let present = try #require(ledger.storedBoots().last)
        try ledger.transaction { $0.addGap(StoreGap(from: nil)) }
        let next = try store.open()
        #expect(next.mark.gaps.map(\.until) == [nil])
        let reading = BootReading(id: present.id, seen: present.log.seen + .minutes(1), clock: present.log.clock)
        try next.commit(Batch(checkpoint: [2], present: reading))
        #expect(next.mark.gaps.map(\.until) == [.init(boot: present.id, at: reading.seen)])
    }

    @Test func anotherBootDoesNotReadIt() throws {
        try state().write([2], consent: 4, at: up)
        #expect(try state(boot: BootID(high: 5, low: 5)).read() == nil)
    }

    @Test func whateverElseLiesThereIsIgnored() throws {
        try state().write([UInt8](repeating: 7, count: 300), consent: 4, at: up)
        let sound = try bytes()
        for index in 0..<400 {
            var changed = sound
            changed[index] ^= 1
            try put(changed)
            #expect(try index > 365 || state().read() == nil, "byte \(index)")
        }
        try put([])
        #expect(try state().read() == nil)
        try put(Array(sound.prefix(100)))
        #expect(try state().read() == nil)
        try put(sound)
        #expect(try state().read()?.bytes.count == 300)
    }

    @Test func aStateThatWasWrittenInPartLeavesTheOneBefore() throws {
        let running = try state()
        running.write([1], consent: 4, at: up)
        let first = try bytes()
        running.write([2], consent: 4, at: up)
        var torn = try bytes()
        #expect(try state().read()?.bytes == [2])
        torn[0...1] = first[0...1]
        torn[RunningState.slotSize + 9] ^= 1
        try put(torn)
        #expect(try state().read()?.bytes == [1])
        #expect(try bytes().count == 2 * RunningState.slotSize)
    }

    /// A reader comes at any moment, also while the daemon writes either slot.
    @Test(arguments: [0, 1]) func whoVisitsTheStoreReadsTheOtherSlotOfOneThatIsBeingWritten(slot: Int) throws {
        let running = try state()
        for _ in 0..<slot { running.write([0], consent: 4, at: up) }
        running.write([1], consent: 4, at: up)
        let before = try bytes()
        running.write([2], consent: 4, at: up)
        var torn = try bytes()
        let (whole, other) = (slot * RunningState.slotSize, (1 - slot) * RunningState.slotSize)
        torn[whole..<whole + 2] = before[whole..<whole + 2]
        torn[other + 9] ^= 1
        try put(torn)
        #expect(try store.open(.visitor).latestState(in: rightBoot)?.bytes == [1])
        #expect(try state().read()?.bytes == [1])
    }

    @Test func aStateOfTheCommitBeforeInOneSlotDoesNotHideTheOther() throws {
        let running = try state()
        running.write([1], consent: 4, at: up)
        let first = try bytes()
        try ledger.commit(Batch(checkpoint: [9]))
        running.committed()
        running.write([2], consent: 4, at: up)
        var both = try bytes()
        both.replaceSubrange(0..<100, with: first[0..<100])
        try put(both)
        #expect(try store.open(.visitor).latestState(in: rightBoot)?.bytes == [2])
        #expect(try state().read()?.bytes == [2])
    }

    /// As somebody does who has the directory: it must not end the daemon.
    @Test func aFileThatIsCutShortMeanwhileIsWrittenAnew() throws {
        let running = try state()
        running.write([1], consent: 4, at: up)
        #expect(truncate(path, 0) == 0)
        #expect(running.read() == nil)
        running.write([2], consent: 4, at: up)
        running.write([3], consent: 4, at: up)
        #expect(try running.read()?.bytes == [3] && state().read()?.bytes == [3])
        running.committed()
        #expect(running.read() == nil)
    }

    @Test func aStateThatIsTooLongIsNotKeptAndOneThatIsErasedIsGone() throws {
        try state().write([UInt8](repeating: 1, count: 5000), consent: 4, at: up)
        #expect(try state().read() == nil)
        let running = try state()
        running.write([1], consent: 4, at: up)
        RunningState.erase(path)
        #expect(running.read() == nil)
        running.write([2], consent: 4, at: up)
        #expect(try state().read()?.bytes == [2], "the map stays")
    }

    @Test func nothingOfItIsInClearAndOnlyTheOwnerReadsIt() throws {
        let secret = [UInt8]("0123456789abcdef0123456789abcdef".utf8)
        try state().write(secret, consent: 4, at: up)
        #expect(try !bytes().contains(secret))
        let absent = store.directory + "/none/state"
        #expect(throws: FileError.absent(path: absent)) {
            try RunningState(path: absent, of: ledger, boot: rightBoot)
        }
    }
}

extension RunningStateTests {
    fileprivate func bytes() throws -> [UInt8] { Array(try Data(contentsOf: URL(fileURLWithPath: path))) }
    fileprivate func put(_ bytes: [UInt8]) throws { try Data(bytes).write(to: URL(fileURLWithPath: path)) }
}
