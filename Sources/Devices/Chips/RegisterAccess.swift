/// A register of a chip's map.
protocol RegisterName {
    var rawValue: UInt8 { get }
    /// The name in the register map.
    var name: String { get }
}

/// A register of one driver's chip. Each driver lists its registers as static members.
struct NamedRegister<Driver>: RegisterName {
    let rawValue: UInt8
    private let label: StaticString

    init(_ rawValue: UInt8, _ name: StaticString) {
        self.rawValue = rawValue
        label = name
    }

    var name: String { "\(label)" }
}

/// Values for registers, in the order of writing.
typealias RegisterValues<Register> = [(register: Register, value: UInt8)]

/// A driver of a chip that is set up through 8-bit registers. Every access passes here: an error gets the name of its
/// register, and the chip's state then counts as unknown.
protocol RegisterAccess: AnyObject {
    associatedtype Register: RegisterName
    associatedtype Facts: BusChip

    var facts: Facts { get }
    var bus: any I2CBus { get }
    var address: I2CAddress { get }

    /// Marks the state of the chip as unknown.
    func loseTrack()
    /// Ends a state of the chip, begun by this driver, in which the identity cannot be read.
    func revealIdentity() throws(SensorError)
}

extension RegisterAccess {
    func revealIdentity() throws(SensorError) {}

    func write(_ value: UInt8, to register: Register) throws(SensorError) {
        do throws(BusError) {
            try bus.write(value, to: register.rawValue, of: address)
        } catch {
            throw lostTrack(error, register)
        }
    }

    /// Writes in one transfer.
    func write(_ values: RegisterValues<Register>) throws(SensorError) { _ = try perform(values, nil) }

    /// Writes and then reads in one transfer.
    func write(
        _ values: RegisterValues<Register>, thenRead register: Register, _ count: Int = 1
    ) throws(SensorError) -> [UInt8] {
        try perform(values, (register, count))
    }

    /// Writes and then verifies in one transfer.
    func write(
        _ values: RegisterValues<Register>, thenVerify register: Register, is value: UInt8
    ) throws(SensorError) {
        try check(register, holds: value, found: try perform(values, (register, 1))[0])
    }

    private func perform(
        _ values: RegisterValues<Register>, _ read: (register: Register, count: Int)?
    ) throws(SensorError) -> [UInt8] {
        let transfer = I2CTransfer(
            writes: values.map { ($0.register.rawValue, $0.value) }, read: read.map { ($0.register.rawValue, $0.count) }
        )
        do throws(BusError) {
            return try bus.perform(transfer, of: address)
        } catch {
            loseTrack()
            throw .bus(error, at: place(of: values.map(\.register) + (read.map { [$0.register] } ?? [])))
        }
    }

    func read(_ register: Register) throws(SensorError) -> UInt8 { try read(1, from: register)[0] }

    func read(_ count: Int, from register: Register) throws(SensorError) -> [UInt8] {
        do throws(BusError) {
            return try bus.read(count, from: register.rawValue, of: address)
        } catch {
            throw lostTrack(error, register)
        }
    }

    /// Reads a value that the driver does not depend on: an error does not change the driver's state. `flags` are
    /// address bits for the chip's mode of reading.
    func peek(_ count: Int, from register: Register, flags: UInt8 = 0) throws(SensorError) -> [UInt8] {
        do throws(BusError) {
            return try bus.read(count, from: register.rawValue | flags, of: address)
        } catch {
            throw .bus(error, at: place(of: register))
        }
    }

    /// `unit` as in `I2CBus.drain`, `flags` as in `peek`.
    func drain(
        _ count: Int, from register: Register, flags: UInt8 = 0, unit: Int = 1
    ) throws(SensorError) -> [UInt8] {
        do throws(BusError) {
            return try bus.drain(count, from: register.rawValue | flags, unit: unit, of: address)
        } catch {
            throw lostTrack(error, register)
        }
    }

    func verify(_ register: Register, is value: UInt8) throws(SensorError) {
        try check(register, holds: value, found: try read(register))
    }

    func check(_ register: Register, holds value: UInt8, found: UInt8) throws(SensorError) {
        guard found == value else {
            loseTrack()
            throw .configurationRefused(place(of: register), wrote: value, read: found)
        }
    }

    /// Writes settings in order, and then reads all of them back: a supply dip in between would undo the earlier ones.
    func apply(_ settings: RegisterValues<Register>) throws(SensorError) {
        guard let last = settings.last else { return }
        try write(settings, thenVerify: last.register, is: last.value)
        for (register, value) in settings.dropLast() { try verify(register, is: value) }
    }

    /// Like `apply`, for set-up. It detects an adapter that loses joined writes; messages are then no longer joined on
    /// it. A second attempt covers one write lost by chance.
    func setUp(_ settings: RegisterValues<Register>) throws(SensorError) {
        for _ in 0..<2 {
            do throws(SensorError) {
                return try apply(settings)
            } catch {
                guard case .configurationRefused = error, bus.joinsMessages else { throw error }
            }
        }
        bus.joinsMessages = false
        do throws(SensorError) {
            try apply(settings)
        } catch {
            // Then the fault is in the chip.
            bus.joinsMessages = true
            throw error
        }
    }

    /// Throws `wrongIdentity` unless the identity register holds the chip's. Writes nothing, unless this driver has
    /// hidden that register.
    func checkIdentity() throws(SensorError) {
        try revealIdentity()
        if let complaint = facts.complaint(about: try identity()) { throw complaint }
    }

    /// The present value of the identity register.
    func identity() throws(SensorError) -> UInt8 {
        do throws(BusError) {
            return try bus.read(1, from: facts.identityRegister.number, of: address)[0]
        } catch {
            loseTrack()
            throw .bus(error, at: facts.identityRegister)
        }
    }

    func place(of register: Register) -> ChipRegister {
        ChipRegister(chip: facts.name, register.name, register.rawValue)
    }

    /// The registers of a transfer, at least one.
    private func place(of registers: [Register]) -> ChipRegister {
        let places = registers.map(place)
        let last = places[places.count - 1]
        return ChipRegister(chip: last.chip, last.name, last.number, before: Array(places.dropLast()))
    }

    private func lostTrack(_ error: BusError, _ register: Register) -> SensorError {
        loseTrack()
        return .bus(error, at: place(of: register))
    }
}
