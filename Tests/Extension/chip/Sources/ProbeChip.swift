import Devices
import Core

/// A made-up chip: 26 Hz or 1 Hz, a FIFO of 64 samples at a port, ±8 g alone. It shows that a chip is this folder and one
/// line in `Chip.all`.
///
/// Registers: 0x00 identity 0xA7; 0x01 control (0 off, 1 sampling, 2 watching for movement, 3 sampling at 1 Hz); 0x02
/// threshold in 8 mg;
/// 0x03 samples held, 0xFF once one was lost (writing empties the FIFO); 0x04 moved (cleared by reading); 0x05 the FIFO's
/// port: X, Y and Z, high byte first, 4096 counts to a g.
final class ProbeChip: RegisterDriver {
    enum Register: UInt8, RegisterName {
        case identity, control, threshold, count, moved, port

        var name: String { "\(self)" }
    }

    private enum State: Equatable {
        case unknown, asleep, armed
        case filling(control: UInt8)
    }

    let chip = Chip.probe
    let bus: any I2CBus
    let address: I2CAddress
    private let threshold: UInt8
    private var state = State.unknown

    init(bus: any I2CBus, address: I2CAddress, wakeThreshold: Int) {
        self.bus = bus
        self.address = address
        threshold = UInt8(min(max((wakeThreshold + 7) / 8, 1), 255))
    }

    func loseTrack() { state = .unknown }

    func initialise() throws(SensorError) {
        state = .unknown
        try checkIdentity()
        try apply([(.control, 0), (.threshold, threshold)])
        try write(0, to: .count)
        state = .asleep
    }

    func start() throws(SensorError) { try start(1) }

    func startSlowly() throws(SensorError) { try start(3) }

    private func start(_ control: UInt8) throws(SensorError) {
        if state == .unknown { try initialise() }
        // A chip that lost its settings at rest.
        try verify(.threshold, is: threshold)
        _ = try read(.moved)
        // No sample of another rate comes any more.
        try write(0, to: .control)
        try verify(.control, is: 0)
        try write(0, to: .count)
        let left = try read(.count)
        guard left == 0 else { throw notEmptied(.count, holding: Int(left)) }
        try write(control, to: .control)
        state = .filling(control: control)
    }

    func drain(_ most: Int) throws(SensorError) -> Drain {
        guard case .filling(let control) = state else { throw .noWindow(chip: chip.name) }
        let held = Int(try read(.count))
        if held == 0 { try verify(.control, is: control) }
        guard held != 0xFF else { throw try startOver() }
        let count = min(most, held)
        guard count > 0 else { return Drain([], waiting: held) }
        let bytes = try drain(count * 6, from: .port)
        guard try read(.count) != 0xFF else { throw try startOver() }
        // A chip that lost its settings has given zeros.
        try verify(.control, is: control)
        let samples = stride(from: 0, to: bytes.count, by: 6).map { start in
            func axis(_ offset: Int) -> Float {
                let high = UInt16(bytes[start + offset]) << 8
                return Float(Int16(bitPattern: high | UInt16(bytes[start + offset + 1]))) / 4096
            }
            return Acceleration(x: axis(0), y: axis(2), z: axis(4))
        }
        return Drain(samples, waiting: held - count)
    }

    func rest(wakeOnMotion: Bool) throws(SensorError) {
        switch (state, wakeOnMotion) {
        case (.filling(let control), true):
            if control == 3 {
                // The present sample may be a second old.
                try write(1, to: .control)
                bus.pause(for: chip.sampling.period)
            }
            try write(0, to: .count)
            try write(2, to: .control)
            try verify(.control, is: 2)
            state = .armed
        case (.armed, true): break
        default:
            if state == .unknown { try checkIdentity() }
            try write(0, to: .control)
            try verify(.control, is: 0)
            if state != .unknown { state = .asleep }
        }
    }

    func hasMoved() throws(SensorError) -> Bool {
        guard state == .armed else { return false }
        return try read(.moved) != 0
    }

    func sleep() throws(SensorError) {
        if state == .unknown { try checkIdentity() }
        try write(0, to: .control)
        try write(0, to: .count)
        if state != .unknown { state = .asleep }
        try verify(.control, is: 0)
    }

    private func startOver() throws(SensorError) -> SensorError {
        try write(0, to: .count)
        return .overrun(place(of: .count))
    }
}

extension Chip {
    /// The line for `Chip.all` is `.probe,`.
    static let probe = Chip(
        id: "probe", name: "Probe", addresses: [0x2A],
        identityRegister: (ProbeChip.Register.identity.rawValue, ProbeChip.Register.identity.name), identities: [0xA7],
        ranges: [8], sampling: Sampling(period: Interval(nanoseconds: 38_461_538), fifoDepth: 64, startUp: .zero),
        slowSampling: Sampling(period: .seconds(1), fifoDepth: 64, startUp: .zero), stranger: { _ in "another chip" },
        make: { bus, address, setup in ProbeChip(bus: bus, address: address, wakeThreshold: setup.wakeThreshold) })
}
