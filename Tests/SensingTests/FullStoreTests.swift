import Consent
import Domains
import Ledger
import Quantities
import Sensing
import Simulation
import Testing

/// The store takes nothing for a while, as on a full disk.
@Suite struct FullStoreTests {
    private final class FullStore: SensingStore {
        var isFull = true
        private let memory = MemoryStore()
        var days: [ClosedDay] { memory.days }
        private(set) var attempts = 0

        func commit(_ batch: Batch) throws(LedgerError) -> Settlement {
            attempts += 1
            if isFull { throw .full(path: "ledger") }
            return try memory.commit(batch)
        }
    }

    private let day = UTCDay(daysSinceEpoch: 20_103)

    @Test func aDayThatCouldNotBeWrittenIsWrittenSoonAlthoughNothingHappensAnyMore() {
        let clock = VirtualClock(bootingAt: day.end - .hours(1))
        let resting = RecordedWearer([], from: clock.now.boot)
        let devices = SimulatedDevices(source: resting, pulses: [], clock: clock, seed: 1)
        let store = FullStore()
        var notes: [SensingNote] = []
        let service = SensingService(
            rules: SensingRules(), devices: devices, store: store, note: { notes.append($0) }, signal: {})
        let run = ServiceRun(service: service, devices: devices, seed: 1)
        service.begin(nil, at: clock.now)
        store.isFull = false
        service.allow(CollectionOrder(domains: DomainSet(.steps)), at: clock.now)
        run.run(until: day.end - .minutes(1))
        store.isFull = true
        let before = store.attempts
        run.run(until: day.end + .minutes(10))
        #expect((9...11).contains(store.attempts - before), "once a minute: \(store.attempts)")
        store.isFull = false
        run.run(until: day.end + .minutes(12))
        #expect(store.days.map(\.day) == [day])
        #expect(notes.filter { $0 == .storeRecovered }.count == 1)
        #expect(notes.count { if case .storeFailed = $0 { true } else { false } } == 1)
    }

    @Test func aDayThatCouldNotBeWrittenIsWrittenAlthoughTheConfigIsReadAgainMeanwhile() {
        let bench = ServiceBench()
        bench.allow(ServiceBench.steps)
        bench.run(for: .minutes(5))
        bench.store.isFull = true
        bench.run(for: .hours(13))
        bench.handOver()
        bench.allow(ServiceBench.steps)
        bench.store.isFull = false
        bench.run(for: .minutes(2))
        #expect(bench.store.memory.days.map(\.day) == [day])
        #expect(bench.count { if case .storeFailed = $0 { true } else { false } } == 1)
    }

    @Test func withEverythingOffAFullStoreIsAskedOnceAnHour() {
        let bench = ServiceBench()
        bench.allow(ServiceBench.both)
        bench.run(for: .minutes(5))
        bench.store.isFull = true
        bench.allow([])
        let agenda = bench.service.agenda(at: bench.clock.now)
        #expect(agenda.wakeAt == bench.clock.now.boot + .hours(1))
        bench.store.isFull = false
        let written = bench.store.batches.count
        bench.run(for: .hours(1) + .seconds(1))
        #expect(bench.store.batches.count == written + 1)
        let next = bench.service.agenda(at: bench.clock.now).wakeAt
        #expect(next.map { $0 > bench.clock.now.boot + .hours(8) } == true, "not before the day ends")
    }
}
