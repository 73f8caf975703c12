import Devices
import Core

/// The consecutive samples of a chip, drained before its FIFO is full.
final class SampleStream {
    private let sensor: any Accelerometer
    private let time: BenchTime
    /// Samples drained so far, and samples left in the FIFO at the last drain.
    private var count = 0
    private var waiting = 0

    init(_ sensor: any Accelerometer, _ time: BenchTime) {
        self.sensor = sensor
        self.time = time
    }

    /// Starts with an empty FIFO.
    func start() throws {
        try sensor.start()
        (count, waiting) = (0, 0)
        try time.wait(sensor.chip.sampling.startUp + sensor.chip.sampling.period)
        _ = try drain()
    }

    /// The samples of the next `length`, and the measured sampling rate by the clock.
    func next(_ length: Interval) throws -> (samples: [Acceleration], rate: Double) {
        let sampling = sensor.chip.sampling
        let step = min(.milliseconds(500), sampling.period * Int64(max(sampling.fifoDepth / 2, 1)))
        let begin = (time: time.now(), taken: count + waiting)
        var samples: [Acceleration] = []
        while time.now() - begin.time < length {
            try time.wait(min(step, length - (time.now() - begin.time)))
            samples += try drain()
        }
        let seconds = Double((time.now() - begin.time).nanoseconds) / 1e9
        return (samples, Double(count + waiting - begin.taken) / max(seconds, 0.001))
    }

    private func drain() throws -> [Acceleration] {
        let drained = try sensor.drain(.max)
        count += drained.samples.count
        waiting = drained.waiting
        return drained.samples
    }
}
