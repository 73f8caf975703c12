import Core
import Signal

/// The light and the acceleration of a spot check, and the heart rate that they show.
struct PulseCheck: Sendable {
    let start: BootTime
    /// Light without a gap, oldest first; the last sample was taken at `lightEnd`.
    private var light: [PulseSample] = []
    private var lightEnd: BootTime
    /// The samples and the end of the first drain of `light`.
    private var first: (count: Int, end: BootTime)
    /// Acceleration without a gap, oldest first; the last sample was taken at `accelerationEnd`.
    private var acceleration: [Acceleration] = []
    private var accelerationEnd: BootTime

    /// The rate is estimated from a window of light every 2 s …
    private static let step = 50
    /// … and given if so many of the windows were good enough …
    private static let leastWindows = 3
    /// … and differ by no more than this share from their median.
    private static let tolerance: Float = 0.1
    /// The greatest error of the chip's oscillator.
    private static let oscillator: ClosedRange<Float> = 0.9...1.1

    init(start: BootTime) {
        (self.start, lightEnd, accelerationEnd) = (start, start, start)
        first = (0, start)
    }

    /// Takes light up to now. After a gap the signal begins anew.
    mutating func add(_ drain: PulseDrain, at now: BootTime) {
        if !drain.continues {
            light = []
            first = (drain.samples.count, now)
        }
        light += drain.samples
        lightEnd = now
    }

    /// Takes acceleration up to now, without a gap to the latest.
    mutating func add(_ samples: [Acceleration], until now: BootTime) {
        acceleration += samples
        accelerationEnd = now
    }

    /// The length of the light, by the chip's clock.
    var length: Interval { Window.samplePeriod * Int64(light.count) }

    /// In beats a minute; nil if the signal is not good enough.
    var rate: Float? {
        let channels = [light.map { Float($0.first) }, light.map { Float($0.second) }]
        var rates: [Float] = []
        for begin in stride(from: 0, through: light.count - PulseWindow.length, by: Self.step) {
            guard let movement = acceleration(besideLightFrom: begin) else { continue }
            let windows = channels.compactMap {
                PulseWindow(light: Array($0[begin..<begin + PulseWindow.length]), acceleration: movement)
            }
            guard windows.count == 2 else { continue }
            do throws(PulseRejection) {
                rates.append(try PulseRate(PulseEvidence(windows[0]), PulseEvidence(windows[1])).beatsPerMinute)
            } catch {
                continue
            }
        }
        guard rates.count >= Self.leastWindows else { return nil }
        let median = rates.sorted()[(rates.count - 1) / 2]
        guard rates.allSatisfy({ abs($0 - median) <= Self.tolerance * median }) else { return nil }
        return median / stretch
    }

    /// The samples of acceleration at the times of a window of light; nil without all of them.
    private func acceleration(besideLightFrom begin: Int) -> [Acceleration]? {
        let age = Window.samplePeriod * Int64(light.count - 1 - begin) + (accelerationEnd - lightEnd)
        let index = acceleration.count - 1 - Int(age.nanoseconds / Window.samplePeriod.nanoseconds)
        guard index >= 0, index + PulseWindow.length <= acceleration.count else { return nil }
        return Array(acceleration[index..<index + PulseWindow.length])
    }

    /// The true time of a sample as a multiple of the nominal one, by the times of the first and the last drain.
    private var stretch: Float {
        let counted = Window.samplePeriod * Int64(light.count - first.count)
        guard counted > .zero else { return 1 }
        let stretch = Float((lightEnd - first.end).nanoseconds) / Float(counted.nanoseconds)
        return min(max(stretch, Self.oscillator.lowerBound), Self.oscillator.upperBound)
    }
}
