import Devices
import Core

/// An I²C bus in virtual time, with register-level chips on it.
///
/// Transfers take no virtual time; their cost on a real bus is in `statistics`.
public final class SimulatedI2CBus: I2CBus {
    /// The fault of the bus, nil for none. Set it at any time.
    public var fault: BusFault?
    /// A register whose reads are not acknowledged.
    public var deadRegister: UInt8?
    /// Called before each access that reaches a chip.
    public var beforeTransfer: () -> Void = {}
    /// Whether the next write is acknowledged but lost.
    public var losesNextWrite = false
    /// The most bytes that one transfer reads: nil for an adapter with `I2C_RDWR`, 32 for one with only SMBus blocks. A
    /// longer read is split, and every part has its own addressing.
    public var maximumTransfer: Int?
    public var joinsMessages = true
    /// Whether the adapter performs only the last of several joined writes: a fault without an error.
    public var losesJoinedWrites = false
    /// The most messages that the adapter accepts at once; 2 for one that can only write a register's number before a
    /// read.
    public var mostMessages = I2CTransfer.mostMessages
    /// Whether transfers are recorded in `trace`. Off by default, because a trace grows without bound.
    public var isTracing = false
    /// The recorded transfers, oldest first.
    public private(set) var trace: [BusTransfer] = []
    public private(set) var statistics = BusStatistics()

    private let clock: () -> BootTime
    /// Advances virtual time; nil if time stands still during a call, and the chips run ahead of the clock instead.
    private let wait: ((Interval) -> Void)?
    private var aheadUntil = BootTime(nanoseconds: .min)
    /// Searched in order, because they are few; the first match answers.
    private let chips: [(address: I2CAddress, chip: any SimulatedChip)]
    /// The register pointers set by raw messages.
    private var pointers: [I2CAddress: UInt8] = [:]
    /// Whether the next message continues a transfer.
    private var isJoined = false

    /// A bus whose chips follow `clock`, which must never run backwards.
    ///
    /// - Parameter wait: Advances the clock for a pause of a driver. Without it the chips run ahead of the clock by
    ///   this time.
    public init(
        clock: @escaping () -> BootTime, wait: ((Interval) -> Void)? = nil,
        chips: [(address: I2CAddress, chip: any SimulatedChip)]
    ) {
        self.clock = clock
        self.wait = wait
        self.chips = chips
    }

    /// Empties `trace`.
    public func clearTrace() { trace = [] }

    public func write(_ value: UInt8, to register: UInt8, of chip: I2CAddress) throws(BusError) {
        do throws(BusError) {
            let device = try address(chip)
            statistics.count(bytes: 3, starts: 1)
            if losesNextWrite { losesNextWrite = false } else { try device.write(value, to: register) }
            record(.wrote(value, to: register, of: chip))
        } catch {
            throw failure(error, at: register, of: chip)
        }
    }

    /// A read of zero or fewer bytes is no transfer.
    public func read(_ count: Int, from register: UInt8, of chip: I2CAddress) throws(BusError) -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < count {
            let next = register &+ UInt8(truncatingIfNeeded: bytes.count)
            bytes += try transfer(part(of: count - bytes.count), from: next, of: chip)
        }
        return bytes
    }

    public var longestRead: Int { maximumTransfer ?? .max }

    /// Refused without an effect if the adapter accepts fewer messages. A read longer than one message is split.
    public func perform(_ transfer: I2CTransfer, of chip: I2CAddress) throws(BusError) -> [UInt8] {
        guard transfer.messages <= I2CTransfer.mostMessages else { throw .unsupported }
        guard joinsMessages, transfer.messages > 2, transfer.messages <= mostMessages,
            transfer.read?.count ?? 0 <= longestRead
        else { return try performSingly(transfer, of: chip) }
        var messages = transfer.writes.map { I2CMessage.write([$0.register, $0.value]) }
        if losesJoinedWrites { messages = messages.suffix(1) }
        if let read = transfer.read { messages += [.write([read.register]), .read(read.count)] }
        return try perform(messages, with: chip)
    }

    /// A drain of zero or fewer bytes is no transfer. For a register that is not a port, every part of a split drain
    /// reads the same registers again, as on a real bus.
    public func drain(_ count: Int, from port: UInt8, unit: Int, of chip: I2CAddress) throws(BusError) -> [UInt8] {
        guard part(of: unit) == unit else { throw .unsupported }
        var bytes: [UInt8] = []
        while bytes.count < count {
            let left = count - bytes.count
            bytes += try transfer(max(part(of: left) / unit * unit, min(left, unit)), from: port, of: chip)
        }
        return bytes
    }

    public func pause(for length: Interval) {
        if let wait { return wait(length) }
        aheadUntil = max(aheadUntil, clock()) + length
        for (_, chip) in chips { chip.advance(to: aheadUntil) }
    }

    public func recover() throws(BusError) {
        switch fault {
        case .absent: throw .absent
        case .stuck(recoverable: true): fault = nil
        case .stuck(recoverable: false), .nak, .lasting, nil: break
        }
    }

    // MARK: Raw messages

    /// Performs one message, for a controller without knowledge of registers: the adapter of a simulated machine.
    ///
    /// The first byte of a write sets the chip's register pointer, and the others are written from there on; a read
    /// starts at the pointer. The pointer advances with each byte, except at a port. A message without bytes only
    /// checks whether the chip answers. Each message counts as a separate transfer, even after a repeated start.
    ///
    /// Returns the bytes read, none for a write. After an error the pointer is where the message failed.
    public func perform(_ message: I2CMessage, with chip: I2CAddress) throws(BusError) -> [UInt8] {
        do throws(BusError) {
            let device = try address(chip)
            statistics.count(bytes: 1 + message.count, starts: 1, isJoined: isJoined)
            switch message {
            case .write(let bytes):
                try take(bytes, device, at: chip)
                return []
            case .read(let count):
                return try give(count, device, at: chip)
            }
        } catch {
            throw failure(error, at: pointers[chip, default: 0], of: chip)
        }
    }

    /// Performs messages as one transfer, with a repeated start between them, like i2c-bcm2835: throws `unsupported`,
    /// without any effect, if a read is not the last message. Messages before a failing one take effect.
    ///
    /// Returns the bytes read.
    public func perform(_ messages: [I2CMessage], with chip: I2CAddress) throws(BusError) -> [UInt8] {
        guard messages.dropLast().allSatisfy(\.isWrite) else { throw failure(.unsupported, at: 0, of: chip) }
        defer { isJoined = false }
        var bytes: [UInt8] = []
        for message in messages {
            bytes = try perform(message, with: chip)
            isJoined = true
        }
        return bytes
    }

    private func take(_ bytes: [UInt8], _ device: any SimulatedChip, at chip: I2CAddress) throws(BusError) {
        guard let first = bytes.first else { return }
        pointers[chip] = first
        for value in bytes.dropFirst() {
            let register = pointers[chip, default: 0]
            if losesNextWrite { losesNextWrite = false } else { try device.write(value, to: register) }
            record(.wrote(value, to: register, of: chip))
            pointers[chip] = device.register(after: register)
        }
    }

    private func give(_ count: Int, _ device: any SimulatedChip, at chip: I2CAddress) throws(BusError) -> [UInt8] {
        let first = pointers[chip, default: 0]
        if first == deadRegister { throw unanswered() }
        var bytes: [UInt8] = []
        while bytes.count < count {
            let register = pointers[chip, default: 0]
            bytes.append(try device.read(from: register))
            pointers[chip] = device.register(after: register)
        }
        if count > 0 { record(.read(bytes, from: first, of: chip)) }
        return bytes
    }

    // MARK: Transfers

    private func part(of count: Int) -> Int { min(count, max(maximumTransfer ?? count, 1)) }

    /// Start, address, register, repeated start, address, data, stop.
    private func transfer(_ count: Int, from register: UInt8, of chip: I2CAddress) throws(BusError) -> [UInt8] {
        do throws(BusError) {
            let device = try address(chip)
            if register == deadRegister { throw unanswered() }
            statistics.count(bytes: 3 + count, starts: 2)
            var bytes: [UInt8] = []
            var next = register
            for _ in 0..<count {
                bytes.append(try device.read(from: next))
                next = device.register(after: next)
            }
            record(.read(bytes, from: register, of: chip))
            return bytes
        } catch {
            throw failure(error, at: register, of: chip)
        }
    }

    /// The chip at the address, advanced to the present.
    private func address(_ chip: I2CAddress) throws(BusError) -> any SimulatedChip {
        statistics.accesses += 1
        switch fault {
        case .absent: throw .absent
        case .stuck: throw .stuck
        case .lasting(let error): throw error
        case .nak(let next, let after) where after > 0:
            fault = .nak(next: next, after: after - 1)
        case .nak(let next, _) where next > 0:
            fault = next > 1 ? .nak(next: next - 1) : nil
            throw unanswered()
        case .nak, nil: break
        }
        guard let device = chips.first(where: { $0.address == chip })?.chip else { throw unanswered() }
        device.advance(to: clock())
        beforeTransfer()
        return device
    }

    /// Start, an unacknowledged address, stop.
    private func unanswered() -> BusError {
        statistics.count(bytes: 1, starts: 1, isJoined: isJoined)
        return .noAcknowledge
    }

    private func failure(_ error: BusError, at register: UInt8, of chip: I2CAddress) -> BusError {
        statistics.failures += 1
        record(.failed(error, at: register, of: chip))
        return error
    }

    private func record(_ transfer: BusTransfer) {
        if isTracing { trace.append(transfer) }
    }
}

/// One recorded transfer.
public enum BusTransfer: Hashable, Sendable {
    case wrote(UInt8, to: UInt8, of: I2CAddress)
    case read([UInt8], from: UInt8, of: I2CAddress)
    /// The register is the one at which the transfer began.
    case failed(BusError, at: UInt8, of: I2CAddress)
}

/// A fault of a simulated bus.
public enum BusFault: Hashable, Sendable {
    /// After `after` accesses, `next` accesses are not acknowledged; then the fault is gone.
    case nak(next: Int, after: Int = 0)
    /// A chip holds the data line low: every transfer times out until `recover()` is called, or forever.
    case stuck(recoverable: Bool = true)
    /// The adapter is unplugged; `recover()` fails as well.
    case absent
    /// Every transfer fails with this error, and `recover()` changes nothing, until the fault is set to nil.
    case lasting(BusError)
}

/// The traffic of a simulated bus so far.
public struct BusStatistics: Hashable, Sendable {
    /// Transfers that reached a start condition, including unacknowledged ones.
    public internal(set) var transfers = 0
    /// Writes and reads, with each message of a joined transfer counted separately: the places at which a fault can
    /// occur.
    public internal(set) var accesses = 0
    /// Transfers that failed for any reason.
    public internal(set) var failures = 0
    /// Bytes on the wire: addresses, register numbers and data.
    public internal(set) var bytes = 0
    /// Clock periods: nine for every byte (the ninth is its acknowledgement), one for every start, repeated
    /// start and stop (NXP UM10204 rev 7, §3.1).
    public internal(set) var bits = 0

    public init() {}

    /// The time that the bus was busy, at `clock` hertz and without pauses.
    public func busTime(atHertz clock: Int64) -> Interval {
        Interval(nanoseconds: Int64(bits) * 1_000_000_000 / clock)
    }

    /// - Parameter isJoined: Whether it continues a transfer that was counted already.
    mutating func count(bytes sent: Int, starts: Int, isJoined: Bool = false) {
        transfers += isJoined ? 0 : 1
        bytes += sent
        bits += 9 * sent + starts + (isJoined ? 0 : 1)
    }
}
