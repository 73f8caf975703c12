import Domains
import Core
import Sensing
import Testing

/// The made-up domain of the list, in the session that every program runs.
@Suite struct ProbeCollectorTests {
    private static let noon = UTCDay(daysSinceEpoch: 20_103).start + .hours(12)

    @Test func itsWindowsAreCountedWhileItIsOrderedAndItsEventIsRaised() {
        var harness = SessionHarness(from: Self.noon)
        harness.order([.motion, .probe])
        harness.run(for: .minutes(90))
        let counted = harness.figure(.probeWindows) ?? 0
        #expect(counted > 20)
        #expect(harness.today.first { $0.figure == .probePauses }?.value.numbers.count == 3)
        let kept = harness.asked.filter { if case .keep = $0.action { true } else { false } }
        #expect(kept.count == 2, "at once and after an hour")
        harness.order(DomainSet(.motion))
        harness.run(for: .hours(1))
        #expect(harness.figure(.probeWindows) == nil, "off, and what was not stored is gone")
        #expect(harness.figure(.sedentaryMinutes) != nil, "motion goes on")
    }
}
