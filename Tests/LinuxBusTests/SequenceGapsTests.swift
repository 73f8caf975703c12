import Testing

@testable import Devices

@Suite struct SequenceGapsTests {
    typealias Case = (gaps: SequenceGaps, numbers: [UInt32], missing: [Int])

    static let cases: [Case] = [
        (SequenceGaps(), [1, 2, 3], [0, 0, 0]),
        (SequenceGaps(), [1, 2, 5, 6, 16], [0, 0, 2, 0, 9]),
        // Edges that were lost before the first one.
        (SequenceGaps(), [4], [3]),
        (SequenceGaps(expected: .max - 1), [.max - 1, .max, 0, 1], [0, 0, 0, 0]),
        (SequenceGaps(expected: .max - 1), [.max - 1, 2, 3], [0, 3, 0]),
        // A number that goes backwards.
        (SequenceGaps(expected: 100), [99, 100, 102], [0, 0, 1]),
    ]

    @Test(arguments: cases) func skippedNumbersAreCountedOnce(in wanted: Case) {
        var gaps = wanted.gaps
        #expect(wanted.numbers.map { gaps.missing(before: $0) } == wanted.missing)
    }
}
