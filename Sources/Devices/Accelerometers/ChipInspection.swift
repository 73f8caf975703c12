import Core

/// A chip beyond its samples: what a person asks who checks the wiring, or names the chip in a file.
public struct ChipInspection {
    private let driver: any RegisterDriver

    /// Nil for a sensor that is not driven through registers of its own. Does not touch the bus.
    public init?(_ sensor: any Accelerometer) {
        guard let driver = sensor as? any RegisterDriver else { return nil }
        self.driver = driver
    }

    public var address: I2CAddress { driver.address }

    /// The value of the identity register, as it is now.
    public func identity() throws(SensorError) -> UInt8 { try driver.identity() }

    /// Lets the chip push its own mass, if public drivers describe how; nil otherwise. Takes up to two seconds, in which the chip has to lie
    /// still. Its state is unknown then, so that the next start sets it up again.
    public func selfTest() throws(SensorError) -> SelfTest? {
        guard let driver = driver as? any SelfTesting else { return nil }
        return try driver.run()
    }
}

/// The answer of a chip that pushed its own mass.
public struct SelfTest: Equatable, Sendable {
    /// By how much the samples shifted, in g: with one push, or with two in opposite directions.
    public let shifts: [Acceleration]

    /// The least shift on each axis, in g. Public drivers tell no limits; what a sensor that lies still shows stays below a quarter of this.
    public static let leastShift: Float = 0.05

    public init(_ shifts: [Acceleration]) { self.shifts = shifts }

    /// The axes on which the push does not show, or on which two pushes in opposite directions shift the same way.
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

/// A driver of a chip whose self-test is described in public drivers.
protocol SelfTesting: FIFODriver {
    /// The pushes that the chip has, in the order of `SelfTest.shifts`.
    static var pushes: [UInt8] { get }

    /// Sets the chip up and starts samples without a push.
    func beginSelfTest() throws(SensorError)
    /// The register that pushes, and its value without a push.
    var unpushed: (register: Register, value: UInt8) { get }
    /// The mean of some samples that were taken after the push had settled.
    func settledMean() throws(SensorError) -> Acceleration
}

extension SelfTesting {
    func run() throws(SensorError) -> SelfTest {
        // Without a push, whatever became of the test: the next start writes and reads back all settings.
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

    /// Out of the output registers, for the FIFO is in bypass.
    func settledMean() throws(SensorError) -> Acceleration {
        wait(tenthsOfSeconds: 2)
        var seen: [Acceleration] = []
        for _ in 0..<10 {
            bus.pause(for: .milliseconds(10))
            seen += settled(try take(1)[...], after: 0)
        }
        return mean(seen)
    }

    /// Waits in the steps that a pause may have.
    func wait(tenthsOfSeconds count: Int) {
        for _ in 0..<count { bus.pause(for: .milliseconds(100)) }
    }

    func mean(_ samples: [Acceleration]) -> Acceleration {
        samples.reduce(.zero, +) * (1 / Float(max(samples.count, 1)))
    }
}
