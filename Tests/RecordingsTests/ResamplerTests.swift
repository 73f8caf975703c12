import Quantities
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
        #expect(result.map(\.time) == (0..<Int64(result.count)).map { .milliseconds($0 * 40 + 20) })
    }

    @Test func averagesAwayWhatIsTooFastFor25Hz() {
        // Alternating samples at 100 Hz are a tone of 50 Hz.
        let result = resampled(rate: 100, seconds: 2) { time in
            Acceleration(x: Int(time * 100 + 0.5) % 2 == 0 ? 1 : -1, y: 0, z: 1)
        }
        for sample in result { #expect(abs(sample.acceleration.x) < 0.01) }
    }

    @Test func beginsANewSegmentAfterAGapAndDoesNotBridgeIt() {
        var resampler = Resampler()
        var result: [ResampledSample] = []
        let times: [Int64] = [0, 500, 1000, 2001, 2101]
        for time in times {
            let value: Float = time <= 1000 ? 0 : 1
            resampler.add(RecordedSample(time: .milliseconds(time), acceleration: Acceleration(x: value, y: 0, z: 0)))
            while let sample = resampler.next() { result.append(sample) }
        }
        #expect(result.count == 25 + 2)
        #expect(result.indices.filter { result[$0].startsSegment } == [0, 25])
        #expect(result[25].time == .milliseconds(2021))
        #expect(result.allSatisfy { $0.acceleration.x == 0 || abs($0.acceleration.x - 1) < 1e-5 })
    }

    @Test func bridgesAGapOfASecond() {
        var resampler = Resampler()
        for time in [0, 1000] as [Int64] {
            resampler.add(RecordedSample(time: .milliseconds(time), acceleration: .zero))
        }
        var count = 0
        while resampler.next() != nil { count += 1 }
        #expect(count == 25)
    }

    @Test func passesOverRowsOfTheSameTime() {
        var resampler = Resampler()
        var result: [ResampledSample] = []
        for time in [0, 20, 20, 40, 60, 80] as [Int64] {
            resampler.add(RecordedSample(time: .milliseconds(time), acceleration: Acceleration(x: 0, y: 0, z: 1)))
            while let sample = resampler.next() { result.append(sample) }
        }
        #expect(result.count == 2)
        for sample in result { #expect(abs(sample.acceleration.z - 1) < 1e-5) }
    }

    @Test func carriesTheLabelOfItsMiddle() {
        var resampler = Resampler()
        var labels: [String?] = []
        for index in 0..<9 {
            let label: String? = index <= 4 ? "SITTING" : nil
            resampler.add(
                RecordedSample(time: .milliseconds(Int64(index) * 20), acceleration: .zero, label: label))
            while let sample = resampler.next() { labels.append(sample.label) }
        }
        #expect(labels == ["SITTING", "SITTING", nil, nil])
    }

    private func resampled(
        rate: Double, seconds: Double, _ signal: (Double) -> Acceleration
    ) -> [ResampledSample] {
        var resampler = Resampler()
        var result: [ResampledSample] = []
        for index in 0...Int(rate * seconds) {
            let time = Double(index) / rate
            let sample = RecordedSample(
                time: Interval(nanoseconds: Int64((time * 1e9).rounded())), acceleration: signal(time))
            resampler.add(sample)
            while let even = resampler.next() { result.append(even) }
        }
        return result
    }
}
