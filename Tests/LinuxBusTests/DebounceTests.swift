import Quantities
import Testing

@testable import LinuxBus

@Suite struct DebounceTests {
    /// The times of the accepted edges, in milliseconds.
    private func accepted(_ edges: [Int64], by debounce: inout Debounce) -> [Int64] {
        edges.filter { debounce.accepts(MonotonicTime(nanoseconds: $0 * 1_000_000)) }
    }

    @Test func bouncesAfterAPulseAreDropped() {
        var debounce = Debounce(.milliseconds(50))
        #expect(accepted([0, 1, 3, 49, 500, 502], by: &debounce) == [0, 500])
    }

    @Test func edgeAtExactlyTheIntervalIsAPulse() {
        var debounce = Debounce(.milliseconds(50))
        #expect(accepted([10, 60, 109, 110], by: &debounce) == [10, 60, 110])
    }

    @Test func distanceIsMeasuredFromTheLastPulseNotFromTheLastBounce() {
        var debounce = Debounce(.milliseconds(50))
        #expect(accepted([0, 30, 60, 90, 120], by: &debounce) == [0, 60, 120])
    }

    @Test func bounceThatArrivesInTheNextDrainIsDropped() {
        var debounce = Debounce(.milliseconds(50))
        #expect(accepted([0], by: &debounce) == [0])
        #expect(accepted([20, 45, 55], by: &debounce) == [55])
    }

    @Test func firstEdgeAtTimeZeroIsAPulse() {
        var debounce = Debounce(.milliseconds(50))
        #expect(accepted([0, 0], by: &debounce) == [0])
    }

    @Test func withoutAnIntervalEveryEdgeIsAPulse() {
        var debounce = Debounce(.zero)
        #expect(accepted([5, 5, 6], by: &debounce) == [5, 5, 6])
    }
}
