import Core
import Recordings
import Testing

@Suite struct ResamplerTests {
    @Test(arguments: [10.0, 12.5, 20, 25, 32, 49.7, 50, 100])
    func keepsAStraightLineAtAnyRate(rate: Double) {
        let result = resampled(rate: rate, seconds: 4) { Acceleration(x: Float($0), y: 1 - Float($0), z: 0.5) }
        #expect(result.count == 99 || result.count == 100)
        for (index, sample) in result.enumerated() {
            let time = 0.04 * Float(index) + 0.02
            #expect(abs(sample.acceleration.x - time) < 1e-3)
            #expect(abs(sample.acceleration.y - 1 + time) < 1e-3)
            #expect(abs(sample.acceleration.z - 0.5) < 1e-3)
        }
    }

    @Test func spacesSamplesBy40Milliseconds() {
        let result = resampled(rate: 49.7, seconds: 2) { _ in .zero }
        let expected: [Interval] = result.indices.map { .milliseconds(Int64($0) * 40 + 20) }
        #expect(result.map(\.time) == expected)
    }

    @Test func averagesAwayWhatIsTooFastFor25Hz() {
        // Alternating samples at 100 Hz are a tone of 50 Hz.
        let result = resampled(rate: 100, seconds: 2) { time in
            Acceleration(x: Int(time * 100 + 0.5) % 2 == 0 ? 1 : -1, y: 0, z: 1)
        }
        for sample in result { #expect(abs(sample.acceleration.x) < 0.01) }
    }

    @Test func beginsANewSegmentAfterAGapAndDoesNotBridgeIt() {
        let result = resampled([0, 500, 1000, 2001, 2101]) { Acceleration(x: $0 <= 1000 ? 0 : 1, y: 0, z: 0) }
        #expect(result.count == 25 + 2)
        #expect(result.indices.filter { result[$0].startsSegment } == [0, 25])
        #expect(result[25].time == .milliseconds(2021))
        #expect(result.allSatisfy { $0.acceleration.x == 0 || abs($0.acceleration.x - 1) < 1e-5 })
    }

    @Test func bridgesAGapOfASecond() {
        #expect(resampled([0, 1000]) { _ in .zero }.count == 25)
    }

    @Test func passesOverRowsOfTheSameTime() {
        let result = resampled([0, 20, 20, 40, 60, 80]) { _ in Acceleration(x: 0, y: 0, z: 1) }
        #expect(result.count == 2)
        for sample in result { #expect(abs(sample.acceleration.z - 1) < 1e-5) }
    }

    @Test func carriesTheLabelOfItsMiddle() {
        let rows = (0..<9).map { index in
            RecordedSample(
                time: .milliseconds(index * 20), acceleration: .zero, label: index <= 4 ? "SITTING" : nil)
        }
        #expect(resampled(rows).map(\.label) == ["SITTING", "SITTING", nil, nil])
    }

    private func resampled(
        rate: Double, seconds: Double, _ signal: (Double) -> Acceleration
    ) -> [ResampledSample] {
        resampled(
            (0...Int(rate * seconds)).map { index in
                let time = Double(index) / rate
                return RecordedSample(
                    time: Interval(nanoseconds: Int64((time * 1e9).rounded())), acceleration: signal(time))
            })
    }

    /// Rows at these milliseconds.
    private func resampled(_ times: [Int64], _ signal: (Int64) -> Acceleration) -> [ResampledSample] {
        resampled(times.map { RecordedSample(time: .milliseconds($0), acceleration: signal($0)) })
    }

    private func resampled(_ rows: [RecordedSample]) -> [ResampledSample] {
        var resampler = Resampler()
        var result: [ResampledSample] = []
        for row in rows {
            resampler.add(row)
            while let sample = resampler.next() { result.append(sample) }
        }
        return result
    }
}
