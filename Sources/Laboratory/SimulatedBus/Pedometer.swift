/// The step counter inside a chip.
///
/// A step is a rise of the length of the acceleration above its mean. No public source describes a chip's own method:
/// like them, this one counts nothing before the tenth step in a row, then all ten at once, and takes any rhythmic
/// movement for steps, such as typing. Assumed: a run of steps does not outlive a pause of the accelerometer.
struct Pedometer {
    /// A chip shows as many of its lower bits as it has.
    var count: UInt32 = 0
    /// Steps in a row before any of them count.
    static let debounce = 10
    /// Of a rise above the mean, in g.
    static let threshold = 0.03
    /// Between two steps, in seconds.
    static let spacing = 0.24...2.0

    private var run = 0
    private var mean: Double?
    private var smoothed = 0.0
    private var hasFallen = false
    private var sinceStep = 0.0

    /// - Parameters:
    ///   - length: of the acceleration, in g.
    ///   - period: since the previous sample, in seconds.
    mutating func add(_ length: Double, after period: Double) {
        let before = mean ?? length
        if mean == nil { smoothed = length }
        smoothed += 0.5 * (length - smoothed)
        mean = before + 0.04 * (length - before)
        sinceStep += period
        if sinceStep > Self.spacing.upperBound { run = 0 }
        let rise = smoothed - before
        if rise < 0 { hasFallen = true }
        guard hasFallen, rise > Self.threshold, sinceStep >= Self.spacing.lowerBound else { return }
        hasFallen = false
        sinceStep = 0
        run += 1
        if run == Self.debounce { count &+= UInt32(Self.debounce) }
        if run > Self.debounce { count &+= 1 }
    }

    /// The accelerometer was off.
    mutating func pause() { self = Pedometer(count: count) }

    init(count: UInt32 = 0) { self.count = count }
}
