import Core

/// Facts about a chip beyond its samples, for checking the wiring or naming the chip in a file.
public struct ChipInspection {
    private let driver: any RegisterDriver

    /// Nil for a sensor without a register driver. Does not touch the bus.
    public init?(_ sensor: any Accelerometer) {
        guard let driver = sensor as? any RegisterDriver else { return nil }
        self.driver = driver
    }

    public var address: I2CAddress { driver.address }

    /// The present value of the identity register.
    public func identity() throws(SensorError) -> UInt8 { try driver.identity() }

    /// Runs the chip's self-test, which pushes its test mass; nil if no public driver describes it. Takes up to 2 s,
    /// during which the chip must lie still. Its state is unknown afterwards, so the next start sets it up again.
    public func selfTest() throws(SensorError) -> SelfTest? {
        guard let driver = driver as? any SelfTesting else { return nil }
        return try driver.run()
    }
}

/// The result of a chip's self-test.
public struct SelfTest: Equatable, Sendable {
    /// The shifts of the samples, in g: for one push of the test mass, or for two in opposite directions.
    public let shifts: [Acceleration]

    /// The least shift on each axis, in g. Public drivers state no limits; the noise of a sensor at rest stays below a
    /// quarter of this.
    public static let leastShift: Float = 0.05

    public init(_ shifts: [Acceleration]) { self.shifts = shifts }

    /// The axes with too small a shift, or with shifts in the same direction for two opposite pushes.
    public var failedAxes: [String] {
        let axes: [(String, (Acceleration) -> Float)] = [("x", \.x), ("y", \.y), ("z", \.z)]
        return axes.filter { _, part in
            let parts = shifts.map(part)
            let isShifted = !parts.isEmpty && parts.allSatisfy { $0.magnitude >= Self.leastShift }
            let isOpposed = parts.count < 2 || parts[0] * parts[1] < 0
            return !isShifted || !isOpposed
        }.map(\.0)
    }
}

/// A driver of a chip with a self-test that public drivers describe.
protocol SelfTesting: FIFODriver {
    /// The register bits of the chip's pushes, in the order of `SelfTest.shifts`.
    static var pushes: [UInt8] { get }

    /// Sets the chip up and starts sampling without a push.
    func beginSelfTest() throws(SensorError)
    /// The register of the push, and its value without one.
    var unpushed: (register: Register, value: UInt8) { get }
    /// The mean of some samples taken after the push has settled.
    func settledMean() throws(SensorError) -> Acceleration
}

extension SelfTesting {
    func run() throws(SensorError) -> SelfTest {
        // Also ends a push after an error: the next start writes and reads back all settings.
        defer { loseTrack() }
        try beginSelfTest()
        let rest = try settledMean()
        var shifts: [Acceleration] = []
        for bits in Self.pushes {
            try push(bits)
            shifts.append(try settledMean() - rest)
        }
        try push(0)
        return SelfTest(shifts)
    }

    /// - Parameter bits: One of `pushes`; 0 for none.
    private func push(_ bits: UInt8) throws(SensorError) {
        let (register, value) = unpushed
        try write(value | bits, to: register)
        try verify(register, is: value | bits)
    }

    /// From the output registers: the FIFO is in bypass.
    func settledMean() throws(SensorError) -> Acceleration {
        wait(tenthsOfSeconds: 2)
        var seen: [Acceleration] = []
        for _ in 0..<10 {
            bus.pause(for: .milliseconds(10))
            seen += settled(try take(1)[...], after: 0)
        }
        return mean(seen)
    }

    /// Waits in steps of the longest allowed pause.
    func wait(tenthsOfSeconds count: Int) {
        for _ in 0..<count { bus.pause(for: .milliseconds(100)) }
    }

    func mean(_ samples: [Acceleration]) -> Acceleration {
        samples.reduce(.zero, +) * (1 / Float(max(samples.count, 1)))
    }
}
