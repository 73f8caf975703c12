import Devices
import Sensing
import Config
import Domains
import System
import Core

/// The devices and services in the config: the IMU's bus and interrupt line, the lines for steps, alarm and snooze
/// button, the phone's inbox, and gpsd.
public final class LinuxDevices: DaemonDevices {
    /// The IMU's interrupt line while the sensor is open and the line is wired and held.
    private var interrupt: LinuxPulseLine?
    /// The kinds of trouble that are already logged: one line for each, not one for each attempt.
    private var told: Set<Trouble> = []
    private enum Trouble { case interrupt, calibration, zone }
    /// The bus, while a chip uses it.
    private var bus: (any I2CBus)?
    private var busUsers: [SourceKind] = []
    private var line: LinuxPulseLine?
    private let settings: Settings
    public var onClosingLine: () -> Void = {}
    public var sensed: () -> [Domain] = { [] }

    private let journal: Journal

    public init(settings: Settings, journal: Journal) {
        self.settings = settings
        self.journal = journal
    }

    public func place(of kind: SourceKind) -> String {
        switch kind {
        case .imu, .gauge, .oximeter: settings.imu.bus
        case .pulses: place(settings.pulseLine.chip, settings.pulseLine.line, in: "steps")
        case .reports: settings.companion.inbox
        case .positions: "gpsd at \(GPSDAddress(settings.location))"
        }
    }
    private func place(_ chip: String, _ line: UInt32?, in section: String) -> String {
        line.map { "\(chip) line \($0)" } ?? "[\(section)] line is not set in the config"
    }
    public var motionLine: (any PulseLine)? { interrupt }
    public var hasMotionLine: Bool { interrupt != nil }
    public var hasPulseLine: Bool { settings.pulseLine.isWired }
    public var handlers: [any PermissionHandler] { linuxHandlers(settings) }

    public func openSensor() throws(SensorError) -> any Accelerometer {
        let search = ChipSearch<Chip>(settings.imu)
        let bus = try openBus(for: .imu, search.unreachable)
        let place = try search.find(on: bus)
        openMotionLine()
        let driver = place.chip.driver(on: bus, at: place.address, AccelerometerSetup(settings.imu))
        guard let correction = correction(of: place) else { return driver }
        return CalibratedAccelerometer(driver, correction)
    }

    public func closeSensor() {
        onClosingLine()
        interrupt?.close()
        interrupt = nil
        closeBus(for: .imu)
    }

    public func openGauge(_ id: GaugeID) throws(SensorError) -> any Gauge {
        let kind = GaugeKind.of(id)
        return try kind.driver(on: try openBus(for: .gauge(id), kind.search.unreachable))
    }

    public func closeGauge(_ id: GaugeID) { closeBus(for: .gauge(id)) }

    public func openOximeter() throws(SensorError) -> any PulseOximeter {
        let search = ChipSearch<PulseOximeterChip>()
        let bus = try openBus(for: .oximeter, search.unreachable)
        let place = try search.find(on: bus)
        return place.chip.driver(on: bus, at: place.address)
    }

    public func closeOximeter() { closeBus(for: .oximeter) }

    public func openPulseLine() throws(BusError) -> any PulseLine {
        guard let offset = settings.pulseLine.line else { throw .absent }
        let opened = try LinuxPulseLine(
            chip: settings.pulseLine.chip, offset: offset,
            edge: settings.pulseLine.edge, bias: settings.pulseLine.bias,
            debounce: settings.rhythm.debounce)
        line = opened
        return opened
    }

    public func closePulseLine() {
        onClosingLine()
        line?.close()
        line = nil
    }

    public func openInbox() throws(InboxError) -> any ReportInbox {
        try CompanionInbox(settings.companion.inbox, bell: "\(settings.wakeFileDirectory)/companion")
    }

    public func openPositions() throws(PositionError) -> any PositionSource {
        try GPSDConnection(GPSDAddress(settings.location))
    }

    public var outputPlace: String { place(settings.alarm.chip, settings.alarm.line, in: "alarm") }

    public func openOutput() throws(BusError) -> any OutputLine {
        guard let offset = settings.alarm.line else { throw .absent }
        return try LinuxOutputLine(
            chip: settings.alarm.chip, offset: offset, isActiveLow: settings.alarm.active == .low)
    }

    public func openSnoozeButton() throws(BusError) -> (any PulseLine)? {
        guard let offset = settings.alarm.snoozeLine else { return nil }
        return try LinuxPulseLine(
            chip: settings.alarm.chip, offset: offset, edge: .falling, bias: .pullUp, debounce: .milliseconds(50))
    }

    public let zoneDirectory: String? = "/etc"

    public var zone: LocalZone {
        if LocalZone.choose(settings.alarmTimeZone) {
            told.remove(.zone)
        } else {
            tell(
                of: .zone, .configInvalid, [.alarm],
                "the wearer's time-zone \(LocalZone.isUnknown): alarms go by UTC")
        }
        return .ofSystem
    }

    /// The bus for the chip of a source. An open bus is recovered for the IMU, and for others while the IMU does not use
    /// it.
    private func openBus(
        for kind: SourceKind, _ unreachable: (BusError) -> SensorError
    ) throws(SensorError) -> any I2CBus {
        do throws(BusError) {
            if let bus {
                if kind == .imu || !busUsers.contains(.imu) { try bus.recover() }
            } else {
                bus = try openI2CBus(settings.imu.bus)
            }
            guard let bus else { throw .absent }
            busUsers.append(kind)
            return bus
        } catch {
            throw unreachable(error)
        }
    }

    private func closeBus(for kind: SourceKind) {
        busUsers.removeAll { $0 == kind }
        guard busUsers.isEmpty else { return }
        bus?.close()
        bus = nil
    }

    /// Nil if the chip is not calibrated. Read at every opening, so that a new calibration is used at once.
    private func correction(of place: ChipSearch<Chip>.Place) -> Correction? {
        do {
            let file = CalibrationFile(in: settings.store.directory)
            let calibration = try file.calibration(of: place.chip.id, at: place.address)
            told.remove(.calibration)
            return calibration?.correction
        } catch {
            tell(of: .calibration, .calibrationUnusable, sensed(), "\(error); the samples are used uncorrected")
            return nil
        }
    }

    /// Opens the motion line. Without it, the only loss is a later return to the attentive pace.
    private func openMotionLine() {
        guard interrupt == nil, let chip = settings.imu.interruptChip, let offset = settings.imu.interruptLine
        else { return }
        do {
            interrupt = try LinuxPulseLine(chip: chip, offset: offset, edge: .rising)
        } catch {
            tell(
                of: .interrupt, .lineFailed, sensed(),
                "\(chip) line \(offset), the IMU's interrupt: \(error.lineAdvice); going on without it")
        }
    }
    private func tell(of trouble: Trouble, _ event: JournalEvent, _ domains: [Domain], _ text: String) {
        if told.insert(trouble).inserted { journal.log(.warning, event, domains: domains, text) }
    }
}
