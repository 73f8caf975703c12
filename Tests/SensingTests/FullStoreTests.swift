import Domains
import Store
import Core
import Sensing
import Simulation
import Testing

/// The store takes nothing for a while, as on a full disk.
@Suite struct FullStoreTests {
    private let day = UTCDay(daysSinceEpoch: 20_103)

    @Test func aDayThatCouldNotBeWrittenIsWrittenSoonAlthoughNothingHappensAnyMore() {
        let bench = ServiceBench()
        bench.allow(ServiceBench.steps)
        bench.run(for: .hours(12) - .minutes(1))
        bench.store.isFull = true
        let before = bench.store.attempts
        bench.run(for: .minutes(11))
        #expect((9...11).contains(bench.store.attempts - before), "once a minute: \(bench.store.attempts)")
        bench.store.isFull = false
        bench.run(for: .minutes(2))
        #expect(bench.store.memory.days.map(\.day) == [day])
        #expect(bench.count { $0 == .storeRecovered } == 1)
        #expect(bench.count { if case .storeFailed = $0 { true } else { false } } == 1)
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
