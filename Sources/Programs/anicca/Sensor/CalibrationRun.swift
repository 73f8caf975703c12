import Commands
import Devices
import Core
import Signal

/// Takes still windows of a sensor for a calibration.
struct CalibrationRun {
    let sensor: any Accelerometer
    let time: BenchTime
    let say: (String) -> Void

    /// The length of a window in a held position.
    static let heldLength = Interval.seconds(2)
    static let windowsOfPosition = 2
    static let longestGuide = Interval.minutes(15)
    /// The length of a window while it is worn (van Hees et al. 2014).
    static let wornLength = Interval.seconds(10)
    /// Faults in a row after which the sensor counts as lost.
    private static let patience = 5

    /// The means of windows in six positions, which are recognised automatically.
    func guided() throws -> [Acceleration] {
        var held: [Direction: [Acceleration]] = [:]
        func missing() -> [Direction] { Direction.all.filter { held[$0, default: []].count < Self.windowsOfPosition } }
        let end = time.now() + Self.longestGuide
        ask(missing())
        try windows(of: Self.heldLength, until: { missing().isEmpty || time.now() >= end }) { window in
            let up = window.mean.upward
            guard window.isStill, window.mean.isAlong(up), missing().contains(up) else { return }
            held[up, default: []].append(window.mean)
            guard !missing().contains(up) else { return }
            say("\(up.upwards): taken")
            ask(missing())
        }
        guard missing().isEmpty else {
            throw Failure(
                "no calibration: \(listed(missing().map(\.upwards))) not measured within "
                    + "\(Self.longestGuide.inMinutes) min; the old calibration stays", .temporary)
        }
        return Direction.all.flatMap { held[$0, default: []] }
    }

    private func ask(_ missing: [Direction]) {
        guard let next = missing.first else { return }
        say("lay it so that \(next.axis) points \(next.isPositive ? "up" : "down"), then keep it still")
        if missing.count > 1 { say("  also to come: \(listed(missing.dropFirst().map(\.upwards)))") }
    }

    /// The means of the still windows in this time, while the sensor is worn.
    func automatic(for length: Interval) throws -> [Acceleration] {
        var means: [Acceleration] = []
        let end = time.now() + length
        var told = SphereFit.missing(in: [])
        say(
            "wear it for \(length.inMinutes) min: take many positions of body and arm, and rest half a minute in each"
        )
        try windows(of: Self.wornLength, until: { time.now() >= end }) { window in
            guard window.isStill else { return }
            means.append(window.mean)
            let missing = SphereFit.missing(in: means)
            guard missing != told else { return }
            told = missing
            let lack = missing.isEmpty ? "all directions are covered" : "not yet: \(listed(missing.map(\.upwards)))"
            say("\(counted(means.count, "still window")); \(lack)")
        }
        return means
    }

    /// Successive windows. The sensor is started again after a fault.
    private func windows(
        of length: Interval, until isDone: () -> Bool, _ take: (StillWindow) throws -> Void
    ) throws {
        let stream = SampleStream(sensor, time)
        var faults = 0
        var isRunning = false
        while !isDone() {
            do {
                if !isRunning { try stream.start() }
                isRunning = true
                let samples = try stream.next(length).samples
                faults = 0
                if let window = StillWindow(samples) { try take(window) }
            } catch let error as SensorError {
                (faults, isRunning) = (faults + 1, false)
                guard faults < Self.patience else { throw error }
                try time.wait(.seconds(1))
            }
        }
    }
}

extension Acceleration {
    /// Whether a direction points up, with a tilt of at most 30°.
    fileprivate func isAlong(_ direction: Direction) -> Bool { part(along: direction) >= 0.866 * magnitude }
}

extension SphereFit.Refusal {
    /// The fault and the remedy.
    var text: String {
        switch self {
        case .fewWindows(let count):
            "only \(counted(count, "still window")), and \(SphereFit.fewestWindows) are needed; rest more often, or wear it for longer"
        case .uncovered(let missing):
            "the sensor was never at rest with \(listed(missing.map(\.upwards))) (at least 0.3 g); "
                + "turn it, and rest in these positions too"
        case .noFit: "the positions were too similar; take more positions, and more different ones"
        case .gain(let gain, let axis):
            "the gain of \(axis) would be \(SensorFigures.decimals(gain, 3)), but a sound chip has 0.8 to 1.2; "
                + "keep still in each position, and see: sudo anicca sensor test"
        case .offset(let offset, let axis):
            "the offset of \(axis) would be \(SensorFigures.mg(offset)), but a sound chip has at most 200 mg; "
                + "keep still in each position, and see: sudo anicca sensor test"
        case .error(let error):
            "the error after correction would be \(SensorFigures.mg(error)); the limit is 10 mg; "
                + "keep still in each position"
        case .notBetter(let before, let after):
            "a correction would not reduce the error: \(SensorFigures.mg(before)) without, "
                + "\(SensorFigures.mg(after)) with it; no correction is needed"
        }
    }
}
