import Bus
import Quantities
import Sensing
import Sensors
import SimulatedBus

/// An MPU-6050 on a bus and a step sensor on a line, both in virtual time.
public final class SimulatedDevices: SensingDevices {
    public let clock: VirtualClock
    public let chip: SimulatedMPU6050
    public let bus: SimulatedI2CBus
    public let hasMotionLine: Bool
    public let sensorPlace = "simulated bus"
    public let pulseLinePlace = "simulated line"
    /// The line while someone holds it.
    public private(set) var line: ScriptedPulseLine?

    private let pulses: [BootTime]
    private let kernelBuffer: Int

    /// - Parameters:
    ///   - source: What the accelerometer feels.
    ///   - pulses: Debounced edges of the line, oldest first.
    ///   - hasMotionLine: Whether the chip's INT pin is wired.
    ///   - kernelBuffer: Edges that wait between two drains: 1024 with libgpiod 2, which also counts lost ones,
    ///     16 with libgpiod 1.
    ///   - oscillatorError: How much too fast the chip samples, as a fraction.
    ///   - seed: Of the chip's noise.
    public init(
        source: any AccelerationSource, pulses: [BootTime], clock: VirtualClock, hasMotionLine: Bool = true,
        kernelBuffer: Int = 1024, oscillatorError: Double = 0, seed: UInt64
    ) {
        self.clock = clock
        self.pulses = pulses
        self.hasMotionLine = hasMotionLine
        self.kernelBuffer = kernelBuffer
        let time = { clock.now.boot }
        let chip = SimulatedMPU6050(source: source, clock: time, oscillatorError: oscillatorError, seed: seed)
        self.chip = chip
        bus = SimulatedI2CBus(clock: time, chips: MPU6050.addresses.prefix(1).map { ($0, chip) })
    }

    /// A simulated life, worn from the present of `clock` on.
    public convenience init(
        life: WearerLife, clock: VirtualClock, hasMotionLine: Bool = true, kernelBuffer: Int = 1024,
        oscillatorError: Double = 0
    ) {
        let now = clock.now
        self.init(
            source: SimulatedWearer(life: life, bootedAt: now.wall(at: BootTime(nanoseconds: 0))),
            pulses: StepSensor.pulses(of: life).map { now.boot(at: $0) }, clock: clock, hasMotionLine: hasMotionLine,
            kernelBuffer: kernelBuffer, oscillatorError: oscillatorError, seed: life.seed)
    }

    public func openSensor() throws(SensorError) -> MPU6050 {
        do {
            try bus.recover()
        } catch {
            throw .bus(error, register: 0)
        }
        let sensor = MPU6050(bus: bus, address: try MPU6050.probe(bus))
        try sensor.initialise()
        return sensor
    }

    public func closeSensor() {}

    public func openPulseLine() throws(BusError) -> any PulseLine {
        let opened = ScriptedPulseLine(
            clock: { [clock] in clock.now.boot }, pulses: pulses, kernelBuffer: kernelBuffer,
            reportsLoss: kernelBuffer > 16)
        line = opened
        return opened
    }

    public func closePulseLine() { line = nil }
}
