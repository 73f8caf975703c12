import Testing

@testable import LinuxBus

@Suite struct SequenceGapsTests {
    @Test func numbersInARowAreNoGap() {
        var gaps = SequenceGaps()
        #expect((1...100).map { gaps.missing(before: $0) }.allSatisfy { $0 == 0 })
    }

    @Test func skippedNumbersAreCountedOnce() {
        var gaps = SequenceGaps()
        #expect([1, 2, 5, 6, 16].map { gaps.missing(before: $0) } == [0, 0, 2, 0, 9])
    }

    @Test func edgesLostBeforeTheFirstOneAreCounted() {
        var gaps = SequenceGaps()
        #expect(gaps.missing(before: 4) == 3)
    }

    @Test func wrappingIsNoGap() {
        var gaps = SequenceGaps(expected: .max - 1)
        #expect([UInt32.max - 1, .max, 0, 1].map { gaps.missing(before: $0) } == [0, 0, 0, 0])
    }

    @Test func gapAcrossTheWrapIsCounted() {
        var gaps = SequenceGaps(expected: .max - 1)
        #expect([UInt32.max - 1, 2, 3].map { gaps.missing(before: $0) } == [0, 3, 0])
    }

    @Test func numberThatGoesBackwardsIsNoGap() {
        var gaps = SequenceGaps(expected: 100)
        #expect([99, 100, 102].map { gaps.missing(before: $0) } == [0, 0, 1])
    }
}
