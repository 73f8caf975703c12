import Agent
import Sensing
import Devices
import Domains
import Core
import SimulatedBus

/// An accelerometer on a bus, perhaps with gauges, and, unless none is wired, a step sensor on a line.
///
/// In virtual time the lines have descriptors, for a `VirtualLoop` that calls `readiness`. In real time the pulse line
/// has a descriptor for the kernel, and the interrupt line has none.
public final class SimulatedDevices: DaemonDevices {
    public let clock: VirtualClock
    public let chip: any SimulatedAccelerometer
    public let bus: SimulatedI2CBus
    public let gauges: [SimulatedGauge]
    /// The pulse oximeter on the same bus; nil for none.
    public let oximeter: SimulatedMAX3010x?
    public let hasMotionLine: Bool
    public let hasPulseLine: Bool
    /// Whether the source has a temperature.
    public let hasThermometer: Bool
    public let sensorPlace = "simulated bus"
    /// The line while it is open.
    public private(set) var line: ScriptedPulseLine?
    /// Whether the bus is open, and the number of openings so far.
    public private(set) var isBusOpen = false
    private var interruptLine: InterruptLine?
    public private(set) var busOpenings = 0

    /// The handlers of the domains that are not simulated: this machine's, or none.
    public var surroundings: [any PermissionHandler] = []
    public var onClosingLine: () -> Void = {}
    public var sensed: () -> [Domain] = { [] }

    /// The folder for reports of a phone, a real directory; nil for none. Its handler is in `surroundings`.
    public var inboxDirectory: String?

    /// The receiver behind a simulated gpsd; nil for none. In real time a `GPSDServer` at `gpsd` reports its fixes.
    public var receiver: LifeReceiver?
    /// The address of a gpsd; nil for none. Without a receiver its handler is in `surroundings`.
    public var gpsd: GPSDAddress?

    /// The correction of the sensor's samples, from its next opening on; nil if it is uncalibrated.
    public var correction: Correction?

    /// A file whose mode represents that of the sensor's node; nil for none.
    public var sensorNode: String?

    /// The fault of the bus, nil for none. `denied` affects only its node, as after a chmod: an open bus stays open.
    /// With any other error every transfer fails too, as when the chip (`noAcknowledge`) or the adapter (`absent`) was
    /// unplugged.
    public var sensorFault: BusError? {
        didSet { bus.fault = sensorFault.flatMap { $0 == .denied ? nil : .lasting($0) } }
    }

    /// The fault of the line, nil for none. With `denied` and `busy`, an open line stays open.
    public var lineFault: BusError? {
        didSet { line?.fault = lineFaultWhileHeld }
    }

    /// The line of the motor after its last opening; nil before.
    public private(set) var output: RecordedOutputLine?
    /// The number of its openings so far.
    public private(set) var outputOpenings = 0
    /// The error of opening that line; nil for none.
    public var outputFault: BusError? { didSet { output?.fault = outputFault == .busy ? nil : outputFault } }
    /// The wearer's clock.
    public var zone = LocalZone.utc
    public var zoneDirectory: String?
    /// The times of presses of the snooze button, sorted; nil if none is wired. Only in virtual time.
    public var snoozePresses: [BootTime]?
    /// The error of opening and reading that button; nil for none.
    public var snoozeFault: BusError? { didSet { snoozeButton?.fault = snoozeFault } }
    /// The button's line while it is open.
    public private(set) weak var snoozeButton: ScriptedPulseLine?
    public let outputPlace = "simulated motor"

    private let pulses: [BootTime]
    private let kernelBuffer: Int

    /// - Parameters:
    ///   - source: The source of acceleration.
    ///   - pulses: Debounced edges of the line, oldest first.
    ///   - hasMotionLine: Whether the chip's INT pin is wired.
    ///   - hasPulseLine: Whether a step sensor is wired; without one `pulses` are never seen.
    ///   - kernelBuffer: Edges kept between two drains: 1024 with libgpiod 2, which also counts lost ones, 16 with
    ///     libgpiod 1.
    ///   - imu: The kind of accelerometer.
    ///   - gauges: The gauges on the same bus.
    ///   - skin: What a pulse oximeter on the same bus sees, in counts for 1 mA; nil for none.
    ///   - oscillatorError: The excess of the chip's sampling rate, as a fraction.
    ///   - seed: Of the chip's noise.
    public init(
        source: any AccelerationSource, pulses: [BootTime], clock: VirtualClock, hasMotionLine: Bool = true,
        hasPulseLine: Bool = true, kernelBuffer: Int = 1024, imu: SimulatedIMU = .mpu6050,
        gauges: [SimulatedGauge] = [], skin: ((BootTime) -> (red: Double, infrared: Double))? = nil,
        oscillatorError: Double = 0, seed: UInt64
    ) {
        self.clock = clock
        self.pulses = pulses
        self.hasMotionLine = hasMotionLine
        self.hasPulseLine = hasPulseLine
        self.kernelBuffer = kernelBuffer
        self.gauges = gauges
        hasThermometer = source.temperature(at: clock.now.boot) != nil
        let time = { clock.now.boot }
        let chip = imu.chip(feeling: source, clock: time, oscillatorError: oscillatorError, seed: seed)
        self.chip = chip
        var chips: [(address: I2CAddress, chip: any SimulatedChip)] = []
        if let address = I2CAddress(imu.address) { chips.append((address, chip)) }
        for gauge in gauges { chips.append((gauge.address, gauge)) }
        oximeter = skin.map { skin in
            let chip = SimulatedMAX3010x(clock: time, noise: 20, seed: seed)
            chip.light = skin
            return chip
        }
        if let oximeter { chips.append((PulseOximeterChip.max30102.addresses[0], oximeter)) }
        bus = SimulatedI2CBus(clock: time, chips: chips)
    }

    /// A simulated life, worn from the present time of `clock` on.
    ///
    /// - Parameters:
    ///   - booted: The true time of boot time zero, if the wall clock of `clock` is wrong; otherwise nil.
    ///   - hasOximeter: Whether the wearer has a pulse oximeter.
    public convenience init(
        life: WearerLife, clock: VirtualClock, booted: WallTime? = nil, hasMotionLine: Bool = true,
        hasPulseLine: Bool = true, kernelBuffer: Int = 1024, imu: SimulatedIMU = .mpu6050,
        gauges: [SimulatedGauge] = [], hasOximeter: Bool = false, oscillatorError: Double = 0
    ) {
        let start = BootTime(nanoseconds: 0)
        let booted = booted ?? clock.now.wall(at: start)
        let truth = Instant(boot: start, wall: booted)
        let skin = SimulatedSkin(life, bootedAt: booted)
        self.init(
            source: SimulatedWearer(life: life, bootedAt: booted),
            pulses: StepSensor.pulses(of: life).map { truth.boot(at: $0) }, clock: clock, hasMotionLine: hasMotionLine,
            hasPulseLine: hasPulseLine, kernelBuffer: kernelBuffer, imu: imu, gauges: gauges,
            skin: hasOximeter ? { skin.light(at: $0) } : nil, oscillatorError: oscillatorError, seed: life.seed)
    }

    public func place(of kind: SourceKind) -> String {
        switch kind {
        case .imu, .gauge, .oximeter: sensorPlace
        case .pulses: "simulated line"
        case .reports: inboxDirectory ?? "no folder for reports"
        case .positions: gpsd.map { "gpsd at \($0)" } ?? "simulated receiver"
        }
    }

    public func openSensor() throws(SensorError) -> any Accelerometer {
        try openBus()
        let place = try ChipSearch<Chip>().find(on: bus)
        let driver = place.chip.driver(on: bus, at: place.address)
        return correction.map { CalibratedAccelerometer(driver, $0) } ?? driver
    }

    public func closeSensor() {
        onClosingLine()
        isBusOpen = false
    }

    public func openGauge(_ id: GaugeID) throws(SensorError) -> any Gauge {
        let kind = gauges.first { $0.kind.id == id }?.kind ?? .of(id)
        if let sensorAccess { throw kind.search.unreachable(sensorAccess) }
        return try kind.driver(on: bus)
    }

    public func openOximeter() throws(SensorError) -> any PulseOximeter {
        let search = ChipSearch<PulseOximeterChip>()
        if let sensorAccess { throw search.unreachable(sensorAccess) }
        let place = try search.find(on: bus)
        return place.chip.driver(on: bus, at: place.address)
    }

    public func openPulseLine() throws(BusError) -> any PulseLine {
        guard hasPulseLine else { throw .absent }
        if let lineFault { throw lineFault }
        let opened = ScriptedPulseLine(
            clock: { [clock] in clock.now.boot }, pulses: pulses, kernelBuffer: kernelBuffer,
            reportsLoss: kernelBuffer > 16)
        line = opened
        guard clock.isVirtual else { return TimedPulseLine(opened) }
        opened.fileDescriptor = Self.pulseDescriptor
        return opened
    }

    public func closePulseLine() {
        onClosingLine()
        line = nil
    }

    public func openInbox() throws(InboxError) -> any ReportInbox {
        guard let inboxDirectory else { throw .absent }
        return try CompanionInbox(inboxDirectory, bell: nil)
    }

    public func openPositions() throws(PositionError) -> any PositionSource {
        if let receiver, clock.isVirtual { return receiver.open(Self.positionsDescriptor) }
        guard let gpsd else { throw .absent }
        return try GPSDConnection(gpsd)
    }

    public func closePositions() { receiver?.close() }

    public func openOutput() throws(BusError) -> any OutputLine {
        if let outputFault { throw outputFault }
        let opened = RecordedOutputLine { [clock] in clock.now.boot }
        output = opened
        outputOpenings += 1
        return opened
    }

    public func openSnoozeButton() throws(BusError) -> (any PulseLine)? {
        guard let snoozePresses, clock.isVirtual else { return nil }
        if let snoozeFault { throw snoozeFault }
        let opened = ScriptedPulseLine(clock: { [clock] in clock.now.boot }, pulses: snoozePresses)
        opened.fileDescriptor = Self.snoozeDescriptor
        snoozeButton = opened
        return opened
    }

    private func openBus() throws(SensorError) {
        isBusOpen = false
        do throws(BusError) {
            if let sensorAccess { throw sensorAccess }
            try bus.recover()
        } catch {
            throw ChipSearch<Chip>().unreachable(error)
        }
        isBusOpen = true
        busOpenings += 1
    }

    private var lineFaultWhileHeld: BusError? { lineFault == .denied || lineFault == .busy ? nil : lineFault }
}

// MARK: - What a loop in virtual time can wait for

extension SimulatedDevices {
    private static let pulseDescriptor: Int32 = 1000
    private static let interruptDescriptor: Int32 = 1001
    private static let snoozeDescriptor: Int32 = 1002
    private static let positionsDescriptor: Int32 = 1003

    /// The chip's INT pin on a line, while the bus is open: the same one as long as it is.
    public var motionLine: (any PulseLine)? {
        guard hasMotionLine, isBusOpen, clock.isVirtual else {
            interruptLine = nil
            return nil
        }
        let line = interruptLine ?? InterruptLine(fileDescriptor: Self.interruptDescriptor)
        interruptLine = line
        return line
    }

    /// The node watched in virtual time, where any name is accepted.
    public var watchedNode: String? { sensorNode ?? (clock.isVirtual ? sensorPlace : nil) }

    /// The time at which a line has an edge to read, if before `limit`.
    public func readiness(of descriptor: Int32, before limit: BootTime) -> BootTime? {
        switch descriptor {
        // A waiting edge wakes at once; drained edges do not count.
        case Self.pulseDescriptor: line?.nextPulse(after: BootTime(nanoseconds: .min), before: limit)
        case Self.snoozeDescriptor: snoozeButton?.nextPulse(after: BootTime(nanoseconds: .min), before: limit)
        case Self.positionsDescriptor: receiver?.readiness.flatMap { $0 < limit ? $0 : nil }
        case Self.interruptDescriptor: nextInterrupt(after: clock.now.boot, before: limit)
        default: nil
        }
    }

    /// Edges from before the line was watched do not concern the present rest.
    private func nextInterrupt(after start: BootTime, before limit: BootTime) -> BootTime? {
        while let time = chip.nextInterrupt(before: limit) {
            if time > start { return time }
        }
        return nil
    }
}

extension VirtualLoop {
    /// In the time of `devices`, with their lines.
    ///
    /// - Parameter seed: Of the timers' delays.
    public convenience init(_ devices: SimulatedDevices, seed: UInt64) {
        self.init(clock: devices.clock, seed: seed) { [unowned devices] in devices.readiness(of: $0, before: $1) }
    }
}

/// Reports that INT rose, without keeping edges: one or several mean the same.
private final class InterruptLine: PulseLine {
    let kernelBuffer = 1
    let fileDescriptor: Int32?

    init(fileDescriptor: Int32) { self.fileDescriptor = fileDescriptor }

    func drain(at now: BootTime) -> PulseBatch { PulseBatch() }
}

// MARK: - What the nodes alone tell

extension SimulatedDevices {
    /// The error of opening the bus's node: `denied` or `absent`; nil for none.
    public var sensorAccess: BusError? {
        sensorFault.flatMap(\.ofNode) ?? sensorNode.flatMap(BusError.init(ofLookingAt:))
    }

    /// The same of the line's chip, and of the motor's.
    public var lineAccess: BusError? { lineFault.flatMap(\.ofNode) }
    public var outputAccess: BusError? { outputFault.flatMap(\.ofNode) }
}

extension BusError {
    /// Nil if the node can be opened.
    fileprivate init?(ofLookingAt node: String) {
        do {
            try DeviceNodes.look(at: node)
            return nil
        } catch {
            self = error
        }
    }

    fileprivate var ofNode: BusError? { self == .denied || self == .absent ? self : nil }
}
