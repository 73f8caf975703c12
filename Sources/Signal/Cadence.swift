import Core

/// The cadence of the steps in gapless acceleration at 25 Hz: of the longest run of peaks that `StepDetector` accepts.
///
/// Two times limit its accuracy, that of the first and that of the last peak of the run: with one sample of error in
/// each, 2 % of a window.
public struct Cadence: Sendable {
    /// Peaks in one rhythm.
    private struct Run {
        /// The time of its first peak, in samples since the beginning.
        let start: Int32
        /// Steps and samples from the first peak to the latest.
        var steps = 0
        var length: Int32 = 0
    }

    /// The fewest steps from the first peak to the last that make a cadence.
    private static let fewestSteps = 4

    private var detector = StepDetector()
    private var samples: Int32 = 0
    /// Steps that wait for a rhythm.
    private var waiting = 0
    private var run, longest: Run?

    public init() {}

    /// Takes the next sample, right after the previous one.
    public mutating func add(_ sample: Acceleration) {
        samples += 1
        let confirmed = detector.add(sample)
        guard let age = detector.endedPeak else { return }
        let more = detector.waiting + confirmed - waiting
        // The first steps, or others in place of those that waited.
        let isFirst = detector.waiting > 0 && (waiting == 0 || more <= 0)
        waiting = detector.waiting
        if isFirst { run = Run(start: samples - age) }
        guard !isFirst, var run else { return }
        run.steps += more
        run.length = samples - age - run.start
        self.run = run
        if waiting == 0, run.steps >= longest?.steps ?? Self.fewestSteps { longest = run }
    }

    /// In steps per minute; nil without a rhythm.
    public var perMinute: Float? {
        guard let longest, longest.length > 0 else { return nil }
        return Float(longest.steps) * 60 * Window.rate / Float(longest.length)
    }
}

extension Window {
    /// The steps per minute in the window; nil without a rhythm of steps.
    public var cadence: Float? {
        var cadence = Cadence()
        for sample in samples { cadence.add(sample) }
        return cadence.perMinute
    }

    /// The Euclidean norm of the acceleration minus one (ENMO), negative values as zero, averaged; in g (van Hees et al.,
    /// PLoS ONE 2013).
    public var enmo: Float { samples.reduce(0) { $0 + max($1.magnitude - 1, 0) } / Float(Window.length) }
}
