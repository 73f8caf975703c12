import Core
import Signal
import Testing

@Suite struct SedentaryStretchTests {
    private let sitting = Judgement(.stationary, .high)

    /// Minutes of sitting until the stretch is reported; nil when it is not within `limit`.
    private func minutesUntilLong(_ stretch: inout SedentaryStretch, limit: Int = 200) -> Int? {
        (1...limit).first { _ in stretch.add(.minutes(1), of: sitting) }
    }

    @Test func ninetyMinutesAreReportedOnce() {
        var stretch = SedentaryStretch()
        #expect(minutesUntilLong(&stretch) == 90)
        #expect(minutesUntilLong(&stretch) == nil)
    }

    @Test(arguments: [Judgement(.walking, .medium), Judgement(.walking, .high), Judgement(.running, .medium)])
    func gettingUpBeginsANewStretch(interruption: Judgement) {
        var stretch = SedentaryStretch()
        _ = stretch.add(.minutes(89), of: sitting)
        let fired = stretch.add(.minutes(1), of: interruption)
        #expect(!fired)
        #expect(minutesUntilLong(&stretch) == 90)
    }

    @Test(arguments: [Judgement(.automotive, .high), Judgement(.unknown, .high), Judgement(.walking, .low)])
    func whatIsNoGettingUpNeitherAddsNorEnds(interlude: Judgement) {
        var stretch = SedentaryStretch()
        _ = stretch.add(.minutes(60), of: sitting)
        let fired = stretch.add(.minutes(45), of: interlude)
        #expect(!fired)
        #expect(minutesUntilLong(&stretch) == 30)
    }

    @Test func threeHundredStepsEndTheStretchAndFewerDoNot() {
        var stretch = SedentaryStretch()
        _ = stretch.add(.minutes(80), of: sitting)
        stretch.add(steps: 299)
        #expect(stretch.length == .minutes(80))
        stretch.add(steps: 1)
        #expect(stretch.length == .zero)
    }

    @Test func stepsBeforeTheStretchDoNotCount() {
        var stretch = SedentaryStretch()
        stretch.add(steps: 299)
        _ = stretch.add(.minutes(10), of: sitting)
        stretch.add(steps: 1)
        #expect(stretch.length == .minutes(10))
    }

    @Test func aReportedStretchStaysReportedAcrossARestart() throws {
        var stretch = SedentaryStretch()
        _ = minutesUntilLong(&stretch)
        var packer = Packer()
        stretch.pack(into: &packer)
        var restored = SedentaryStretch()
        var unpacker = Unpacker(packer.bytes)
        try restored.unpack(from: &unpacker)
        #expect(restored.length == .minutes(90))
        #expect(minutesUntilLong(&restored) == nil)
    }
}
