import Devices
import Core
import Sensing
import Signal

/// The sensors of a wearer who always sits, shifts from window to window, and walks in exact rhythm with a quiet arm.
///
/// The agent's readings are reported to a model.
final class TrialDevices: SensingDevices {
    let hasMotionLine = false
    let hasPulseLine = true
    let hasThermometer = false

    fileprivate let machine: TrialMachine
    fileprivate let model: TrialModel
    private let phone: TrialPhone
    /// The pulses of the step line, in true time and order.
    private var pulses: [WallTime]
    private var next = 0
    /// Whether the line is open.
    private var isOpen = false
    fileprivate var leans = false

    init(_ machine: TrialMachine, _ model: TrialModel, pulses: [WallTime]) {
        self.machine = machine
        self.model = model
        phone = model.phone
        self.pulses = pulses
    }

    func place(of kind: SourceKind) -> String { "trial \(kind)" }

    func openSensor() -> any Accelerometer { TrialSensor(self) }

    func closeSensor() {}

    func openPulseLine() -> any PulseLine {
        drop()
        isOpen = true
        return TrialLine(self)
    }

    func closePulseLine() { isOpen = false }

    /// The edges until now are lost: the line was not open, or the board slept.
    func drop() { _ = waiting() }

    /// Ends suddenly, like a killed process: unread edges are lost.
    func die(withPower: Bool) {
        model.lose(isOpen ? waiting() : [], withPower: withPower)
        isOpen = false
    }

    /// The board sleeps: edges until then are lost.
    func sleep(until end: WallTime) {
        pulses.removeAll { $0 > machine.time && $0 <= end }
    }

    func openInbox() -> any ReportInbox {
        phone.hear(at: machine.time)
        return TrialInbox(phone, machine, model)
    }

    /// The time of the next signal for reports.
    var nextReport: BootTime? { phone.rings.map { machine.bootTime(at: $0) } }

    func hearBell() { phone.hear(at: machine.time) }

    /// The time at which the line has an edge to read.
    var nextPulse: BootTime? { isOpen && next < pulses.count ? machine.bootTime(at: pulses[next]) : nil }

    /// Takes the edges from the kernel's buffer.
    fileprivate func waiting() -> [WallTime] {
        let first = next
        while next < pulses.count, pulses[next] <= machine.time { next += 1 }
        return Array(pulses[first..<next])
    }
}

private final class TrialLine: PulseLine {
    let kernelBuffer = 1024
    let fileDescriptor: Int32? = nil
    private let devices: TrialDevices

    init(_ devices: TrialDevices) { self.devices = devices }

    func drain(at now: BootTime) -> PulseBatch {
        let taken = devices.waiting()
        devices.model.take(pulses: taken)
        return PulseBatch(pulses: taken.map { devices.machine.bootTime(at: $0) })
    }
}

private final class TrialSensor: Accelerometer {
    let chip = Chip(
        id: "trial", name: "trial", addresses: [0x68], identityRegister: (number: 0, name: "none"), identities: [0],
        ranges: [8], sampling: .wholeWindow, slowSampling: .wholeWindow, stranger: { _ in "" },
        make: { _, _, _ in preconditionFailure("no bus") })
    private let devices: TrialDevices

    init(_ devices: TrialDevices) { self.devices = devices }

    func initialise() {}

    func start() { devices.leans.toggle() }

    /// Its session never calls this.
    func startSlowly() { preconditionFailure("this wearer has windows alone") }

    func drain(_ most: Int) -> Drain {
        devices.model.takeWindow()
        return Drain(Array((devices.leans ? Self.leaning : Self.upright).prefix(most)))
    }

    func rest(wakeOnMotion: Bool) {}

    func hasMoved() -> Bool { false }

    func sleep() {}

    private static let upright = (0..<Window.length).map { Acceleration(x: sway($0), y: 0, z: 1) }
    private static let leaning = (0..<Window.length).map { Acceleration(x: 0.6, y: sway($0), z: 0.8) }

    /// Sways once in a window, by 8 mg: a body without movement.
    private static func sway(_ index: Int) -> Float {
        let progress = Float(index) / Float(Window.length)
        return 0.032 * progress * (1 - progress)
    }
}
