import Core
import SimulatedBus
import Testing

@testable import Devices
import Domains

/// Virtual time, a simulated MAX30102 on a simulated bus, and its driver.
final class OximeterBench {
    final class Clock { var now = BootTime(nanoseconds: 0) }

    let clock = Clock()
    let chip: SimulatedMAX3010x
    let bus: SimulatedI2CBus
    let sensor: any PulseOximeter
    let address: I2CAddress

    init(hasSwappedLEDs: Bool = false, noise: Double = 0, maximumTransfer: Int? = nil) throws {
        let clock = clock
        chip = SimulatedMAX3010x(clock: { clock.now }, hasSwappedLEDs: hasSwappedLEDs, noise: noise)
        address = PulseOximeterChip.max30102.addresses[0]
        bus = SimulatedI2CBus(
            clock: { clock.now }, wait: { clock.now = clock.now + $0 }, chips: [(address, chip)])
        bus.maximumTransfer = maximumTransfer
        sensor = PulseOximeterChip.max30102.driver(on: bus, at: address)
    }

    func wait(_ interval: Interval) { clock.now = clock.now + interval }

    /// Light that grows by the same count with each sample, so that a lost sample shows.
    func rise() {
        chip.light = { time in
            let value = 20_000 + Double(time.nanoseconds / 1_000_000) / 40
            return (value, value)
        }
    }

    /// Drains each 1.2 s until the LEDs have their currents; the samples of the last drain.
    @discardableResult func steady() throws -> PulseDrain {
        for _ in 0..<20 {
            wait(.milliseconds(1200))
            let drained = try sensor.drain()
            if drained.light == .steady { return drained }
        }
        Issue.record("the search for the current does not end")
        return PulseDrain(continues: false, light: .searching)
    }

    /// So many valid samples of a new spot check.
    func check(_ count: Int) throws -> [PulseSample] {
        try sensor.begin()
        var samples = try steady().samples
        while samples.count < count {
            wait(.milliseconds(1200))
            let drained = try sensor.drain()
            samples = drained.continues ? samples + drained.samples : drained.samples
        }
        return Array(samples.prefix(count))
    }
}

/// Whether successive samples of `OximeterBench.rise()` lie one period apart, at any current.
func expectEvenRise(_ samples: [PulseSample], _ comment: Comment? = nil) {
    guard let first = samples.first, let last = samples.last, samples.count > 2 else { return }
    let step = Double(Int(last.first) - Int(first.first)) / Double(samples.count - 1)
    for (index, sample) in samples.enumerated() {
        guard abs(Double(sample.first) - Double(first.first) - step * Double(index)) > 2 else { continue }
        Issue.record("sample \(index) of \(samples.count) is out of step: \(comment.map { "\($0)" } ?? "")")
        return
    }
    // 1 count for 1 mA in each sample.
    let current = (Double(first.first) - 500) / 20_000
    #expect(abs(step - current) < 0.35 * current, comment)
}
