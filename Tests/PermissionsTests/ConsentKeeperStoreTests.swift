import Domains
import System
import Core
import Testing

@testable import Store
@testable import Sensing

/// `Figure.sedentaryMinutes`, a figure of motion, as the store has it.
private let sedentaryMinutes: UInt8 = 5

@Suite struct ConsentKeeperStoreTests {
    @Test func lostDeviceStopsThoughTheStoreIsBusyAndIsRecordedLater() throws {
        let bench = try KeeperBench([.motion, .steps])
        bench.begin(checkpoint: 4)
        try bench.whileStoreIsBusy {
            bench.keeper.lost([unplugged], at: instant())
            #expect(bench.domains == DomainSet(.steps))
            #expect(bench.keeper.nextWake == instant(.minutes(1)).boot)
            bench.keeper.lookAgain(at: instant(.seconds(30)))
            bench.keeper.lookAgain(at: instant(.minutes(1)))
            #expect(bench.keeper.nextWake == instant(.minutes(3)).boot)
        }
        #expect(bench.book.entries.map(\.event) == [.storeFailed])
        #expect(try bench.wearer.isOn(.motion))
        bench.keeper.lookAgain(at: instant(.minutes(3)))
        #expect(try bench.wearer.status(.motion) == .unsupported)
        #expect(bench.book.entries.map(\.event) == [.storeFailed, .permissionChanged, .storeRecovered])
        #expect(bench.orders.count == 2)
        #expect(bench.keeper.nextWake == instant(.minutes(4)).boot, "the device is looked for")
    }

    @Test func whatTheConfigForbidsStopsThoughTheStoreIsBusy() throws {
        let bench = try KeeperBench([.motion, .steps], policy: policy { $0.forbidden = DomainSet(.motion) })
        try bench.whileStoreIsBusy {
            bench.begin(checkpoint: 4)
            #expect(bench.domains == DomainSet(.steps))
        }
        #expect(try bench.wearer.status(.motion) == .authorized)
        bench.keeper.lookAgain(at: instant(.minutes(1)))
        #expect(try bench.wearer.status(.motion) == .restricted)
        #expect(bench.orders.count == 1)
    }

    /// With a figure of motion that waits to be sent, and how many wait.
    private func benchWithAFigure() throws -> (KeeperBench, waiting: () throws -> Int) {
        let bench = try KeeperBench([.motion])
        let figure = Provenance(source: .imu, sampleType: sedentaryMinutes, granularity: .day, consent: 2)
        try bench.wearer.ledger.transaction { (transaction) throws(LedgerError) in
            try transaction.insertRecord(
                kind: OutboxRecord.dayKind, at: 0, [RecordField(provenance: figure, value: 300)])
        }
        let ledger = bench.wearer.ledger
        return (bench, { try ledger.queuedRows().compactMap { ledger.fields(of: $0) }.reduce(0) { $0 + $1.count } })
    }

    @Test func closingDropsWhatIsNotToBeSentAlsoLater() throws {
        let (bench, waiting) = try benchWithAFigure()
        bench.begin(checkpoint: 2)
        try bench.turn(.motion, on: false, at: instant())
        #expect(try waiting() == 1)
        try bench.whileStoreIsBusy { bench.keeper.lookAgain(at: instant(.seconds(1))) }
        #expect(bench.domains == [])
        #expect(bench.book.lines(.storeFailed).count == 1)
        #expect(try waiting() == 1)
        bench.keeper.lookAgain(at: instant(.minutes(2)))
        #expect(bench.book.lines(.storeRecovered).count == 1)
        #expect(try waiting() == 0)
    }

    @Test func whatIsNotToBeSentIsDroppedOnceTheTrailIsTrustedAgain() throws {
        let (bench, waiting) = try benchWithAFigure()
        try bench.wearer.ledger.database.execute("DELETE FROM consent_now")
        bench.begin(checkpoint: 2)
        #expect(try waiting() == 1, "nobody knows yet what it was collected under")
        try bench.turn(.steps, on: true, at: instant())
        #expect(try waiting() == 0)
    }

    @Test func storeThatCannotBeReadAtFirstOrdersNothingUntilItCan() throws {
        let bench = try KeeperBench([.motion])
        try bench.wearer.ledger.database.execute("ALTER TABLE consent_now RENAME TO elsewhere")
        bench.begin(checkpoint: 2)
        #expect(bench.orders.isEmpty)
        #expect(bench.book.entries.map(\.event) == [.storeFailed])
        try bench.wearer.ledger.database.execute("ALTER TABLE elsewhere RENAME TO consent_now")
        bench.keeper.lookAgain(at: instant(.minutes(1)))
        #expect(bench.domains == DomainSet(.motion))
        #expect(bench.orders.last?.dropped.allows(.motion) == false)
    }

    @Test func storeThatCannotBeReadLaterLeavesThingsAsTheyAre() throws {
        let bench = try KeeperBench([.motion])
        bench.begin(checkpoint: 2)
        try bench.wearer.turnOn(.steps)
        try bench.wearer.ledger.database.execute("ALTER TABLE consent_now RENAME TO elsewhere")
        bench.keeper.lookAgain(at: instant())
        #expect(bench.orders.count == 1)
        try bench.wearer.ledger.database.execute("ALTER TABLE elsewhere RENAME TO consent_now")
        bench.keeper.lookAgain(at: instant(.minutes(1)))
        #expect(bench.domains == DomainSet([.motion, .steps]))
    }

    @Test func brokenTrailIsReportedOnceForEachFindingAndCollectsNothing() throws {
        let bench = try KeeperBench([.motion, .steps])
        let database = bench.wearer.ledger.database
        for name in try database.rows("SELECT name FROM sqlite_schema WHERE type = 'trigger'", read: { $0.text(0) }) {
            try database.execute("DROP TRIGGER \(try #require(name))")
        }
        try database.execute("DELETE FROM consent WHERE id = 4")
        bench.begin(checkpoint: 4)
        bench.keeper.lookAgain(at: instant(.seconds(1)))
        #expect(bench.domains == [])
        let lines = bench.book.lines(.trailBroken)
        #expect(lines.count == 1)
        #expect(lines.first?.contains("cut off after entry 3") == true)
        #expect(lines.first?.contains("anicca audit --verify") == true)
        #expect(bench.book.entries.first { $0.event == .trailBroken }?.priority == .error)

        // The first change begins a new trail, which is trusted, and never hides what was found in the old one.
        try bench.turn(.motion, on: true, at: instant(.seconds(2)))
        #expect(bench.domains == DomainSet(.motion))
        let later = bench.book.lines(.trailBroken)
        #expect(later.count > 1)
        for line in later { #expect(later.filter { $0 == line }.count == 1) }
    }

    @Test func trailThatIsCutWhileWeRunStopsEverything() throws {
        let bench = try KeeperBench([.motion, .steps])
        bench.begin(checkpoint: 4)
        try bench.wearer.ledger.database.execute("DELETE FROM consent_now")
        bench.keeper.lookAgain(at: instant())
        bench.keeper.lookAgain(at: instant(.seconds(1)))
        #expect(bench.domains == [])
        #expect(bench.book.lines(.trailBroken).count == 1)
    }
}
