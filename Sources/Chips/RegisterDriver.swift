import Ports

/// A register of a chip's map.
protocol RegisterName: RawRepresentable<UInt8> {
    /// As the register map spells it.
    var name: String { get }
}

/// The rates at which a chip fills its FIFO.
enum FillRate: Hashable {
    /// That of windows.
    case windows
    /// As slow as suits the chip, so that the FIFO lasts long.
    case slow
}

/// A driver of a chip that is set up through 8-bit registers. Every access passes here: errors get the name of their
/// register, and the state of the chip counts as unknown.
protocol RegisterDriver: Accelerometer {
    associatedtype Register: RegisterName

    var bus: any I2CBus { get }
    var address: I2CAddress { get }

    /// Marks the state of the chip as unknown.
    func loseTrack()
}

extension RegisterDriver {
    /// A wake threshold in steps of a chip: rounded up, at least one and at most `most`.
    ///
    /// - Parameter threshold: Like `step`, in thousandths of g.
    static func wakeSteps(of threshold: Int, step: Int, most: UInt8) -> UInt8 {
        UInt8((min(max(threshold, 1), Int(most) * step) + step - 1) / step)
    }

    func write(_ value: UInt8, to register: Register) throws(SensorError) {
        do throws(BusError) {
            try bus.write(value, to: register.rawValue, of: address)
        } catch {
            throw lostTrack(error, register)
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

    /// Reads a value that the driver does not depend on: an error leaves the driver's state as it is.
    ///
    /// - Parameter flags: Bits of the register's address that tell the chip how to be read.
    func peek(_ count: Int, from register: Register, flags: UInt8 = 0) throws(SensorError) -> [UInt8] {
        do throws(BusError) {
            return try bus.read(count, from: register.rawValue | flags, of: address)
        } catch {
            throw .bus(error, at: place(of: register))
        }
    }

    /// - Parameter unit: See `I2CBus.drain`.
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
        let found = try read(register)
        guard found == value else {
            loseTrack()
            throw .configurationRefused(place(of: register), wrote: value, read: found)
        }
    }

    /// Writes settings in their order, and then reads all of them back: a dip of the supply in between undoes the earlier
    /// ones.
    func apply(_ settings: [(register: Register, value: UInt8)]) throws(SensorError) {
        for (register, value) in settings { try write(value, to: register) }
        for (register, value) in settings { try verify(register, is: value) }
    }

    /// The error for a FIFO that holds this many samples although it was emptied.
    func notEmptied(_ register: Register, holding samples: Int) -> SensorError {
        loseTrack()
        return .configurationRefused(place(of: register), wrote: 0, read: UInt8(clamping: samples))
    }

    /// Throws `wrongIdentity` unless the register holds the chip's identity. Changes nothing in the chip.
    func checkIdentity(in register: Register) throws(SensorError) {
        if let complaint = chip.complaint(about: try read(register)) { throw complaint }
    }

    func place(of register: Register) -> ChipRegister {
        ChipRegister(chip: chip.name, register.name, register.rawValue)
    }

    private func lostTrack(_ error: BusError, _ register: Register) -> SensorError {
        loseTrack()
        return .bus(error, at: place(of: register))
    }
}
