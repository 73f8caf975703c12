import Core
import Testing

@testable import Devices

@Suite struct DebounceTests {
    /// Times in milliseconds.
    typealias Case = (debounce: Int64, edges: [Int64], pulses: [Int64])

    static let cases: [Case] = [
        (50, [0, 1, 3, 49, 500, 502], [0, 500]),
        // An edge at exactly the interval is a pulse.
        (50, [10, 60, 109, 110], [10, 60, 110]),
        // The interval begins at the last pulse and not at the last bounce.
        (50, [0, 30, 60, 90, 120], [0, 60, 120]),
        (50, [0, 0], [0]),
        (0, [5, 5, 6], [5, 5, 6]),
    ]

    @Test(arguments: cases) func bouncesAfterAPulseAreDropped(by wanted: Case) {
        var debounce = Debounce(.milliseconds(wanted.debounce))
        let accepted = wanted.edges.filter { debounce.accepts(MonotonicTime(nanoseconds: $0 * 1_000_000)) }
        #expect(accepted == wanted.pulses)
    }
}
