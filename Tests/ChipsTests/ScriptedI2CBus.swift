import Devices
import Core

/// A bus with one chip made of plain registers, which records every transfer in order.
///
/// It knows nothing of any chip: a register holds the value that was written, or that the test sets.
final class ScriptedI2CBus: I2CBus {
    enum Transfer: Hashable {
        case write(UInt8, to: UInt8)
        case read(Int, from: UInt8)
        case drain(Int, from: UInt8)
        case pause(Int64)

        /// Nil for a pause, which is in milliseconds.
        var register: UInt8? {
            switch self {
            case .pause: nil
            case .write(_, let register), .read(_, let register), .drain(_, let register): register
            }
        }
    }

    /// A write of each setting and a read of each: the last one is read in the transfer that writes them.
    static func setUp(_ settings: [(UInt8, UInt8)]) -> [Transfer] {
        settings.map { .write($0.1, to: $0.0) }
            + (settings.suffix(1) + settings.dropLast()).map { .read(1, from: $0.0) }
    }

    let chip: UInt8
    var registers: [UInt8: UInt8] = [0x75: 0x68]
    /// Registers that ignore writes.
    var readOnly: Set<UInt8> = []
    /// The bytes of the FIFO's port at 0x74; the counter at 0x72 follows them, and a reset by 0x6A empties it.
    var fifo: [UInt8] = []
    /// Answers to reads of a register that take precedence over `registers`.
    var answers: [UInt8: [[UInt8]]] = [:]
    /// Counts down with each transfer; the one at which it is zero fails.
    var failsAfter: Int?
    var error = BusError.noAcknowledge
    /// The error of a transfer with any other address.
    var answersElsewhere = BusError.noAcknowledge
    /// Joined messages have the same effect as single ones, and look the same in the trace.
    var joinsMessages = false
    private(set) var trace: [Transfer] = []

    init(chip: UInt8 = 0x68) { self.chip = chip }

    /// The transfers since the last call.
    func takeTrace() -> [Transfer] {
        defer { trace = [] }
        return trace
    }

    func fill(samples: Int) { fifo = (0..<samples * 6).map { UInt8(truncatingIfNeeded: $0) } }

    func write(_ value: UInt8, to register: UInt8, of chip: I2CAddress) throws(BusError) {
        try begin(.write(value, to: register), chip)
        if !readOnly.contains(register) { registers[register] = value }
        // USER_CTRL's FIFO_RESET, which the counter shows.
        if register == 0x6A, value & 0x04 != 0 { fifo = [] }
    }

    func read(_ count: Int, from register: UInt8, of chip: I2CAddress) throws(BusError) -> [UInt8] {
        try begin(.read(count, from: register), chip)
        if let answer = answers[register]?.first {
            answers[register]?.removeFirst()
            return answer
        }
        if register == 0x72 { return [UInt8(fifo.count >> 8), UInt8(fifo.count & 0xFF)] }
        return (0..<UInt8(count)).map { registers[register + $0] ?? 0 }
    }

    func drain(_ count: Int, from port: UInt8, unit: Int, of chip: I2CAddress) throws(BusError) -> [UInt8] {
        try begin(.drain(count, from: port), chip)
        defer { fifo.removeFirst(min(count, fifo.count)) }
        return Array(fifo.prefix(count))
    }

    func pause(for length: Interval) { trace.append(.pause(length.nanoseconds / 1_000_000)) }

    func recover() throws(BusError) {}

    private func begin(_ transfer: Transfer, _ address: I2CAddress) throws(BusError) {
        trace.append(transfer)
        guard address.rawValue == chip else { throw answersElsewhere }
        guard let left = failsAfter else { return }
        failsAfter = left > 0 ? left - 1 : nil
        if left == 0 { throw error }
    }
}

/// The parts of a trace, one after another. The compiler needs minutes for a sum of such literals.
func transfers(_ parts: [ScriptedI2CBus.Transfer]...) -> [ScriptedI2CBus.Transfer] { parts.flatMap { $0 } }
