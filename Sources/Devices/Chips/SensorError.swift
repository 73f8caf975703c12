import Core

/// The reason why a chip on the bus could not be used. Callers treat each case differently.
///
/// Its text names the fault, the register and chip, and the remedy: one line, for the journal and `anicca doctor`.
public enum SensorError: Error, Hashable, Sendable {
    /// The bus failed at this register. The chip's state is unknown; the next window sets it up again.
    case bus(BusError, at: ChipRegister)
    /// No chip was found because of this bus error. `tried` names chips and addresses: `MPU-6050 at 0x68 or 0x69`;
    /// `device` is the kind of device.
    case unreachable(BusError, tried: String, device: String = Chip.device)
    /// A device answers, but its identity register shows another chip: `meaning`. Final for this wiring.
    case wrongIdentity(found: UInt8, expected: UInt8, at: ChipRegister, meaning: String)
    /// The identity is right but the scale is wrong: at rest the chip reads `gravity` g. `lookalike` is a known chip
    /// with this scale, if any.
    case wrongScale(chip: String, gravity: Float, lookalike: String?)
    /// A known but unusable chip answers at this address. `why` and `remedy` are clauses. Final for this wiring.
    case refused(chip: String, at: I2CAddress, why: String, remedy: String)
    /// A register does not hold the value written: the chip was reset meanwhile, or is another one. The next window
    /// sets it up again.
    case configurationRefused(ChipRegister, wrote: UInt8, read: UInt8)
    /// The FIFO of this register was drained too late and overflowed. Its samples are lost; it has restarted.
    case overrun(ChipRegister)
    /// The chip takes no samples: none were started, or an error ended them. Start.
    case noWindow(chip: String)
}

extension SensorError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .bus(let error, let register):
            "\(register.chip): register \(register) could not be reached: \(error.words.chip)"
        case .unreachable(let error, let tried, let device):
            "no \(device) could be reached (tried \(tried)): \(error.words.chip)"
        case .wrongIdentity(let found, let expected, let register, let meaning):
            "\(register.chip): register \(register) holds \(hexadecimal(found)), expected \(hexadecimal(expected)): "
                + (deadLine(found) ?? meaning)
        case .wrongScale(let chip, let gravity, let lookalike):
            "\(chip): at rest it reads \(hundredths(gravity)) g where gravity is 1 g"
                + (lookalike.map { ", as the \($0) does, which has the same identity and is not supported" }
                    ?? ": its offsets or its scale are wrong; take it off its supply for a moment, and replace it if "
                    + "this comes back")
        case .refused(let chip, let address, let why, let remedy):
            "a \(chip) answers at \(address); \(why); \(remedy)"
        case .configurationRefused(let register, let wrote, let read):
            "\(register.chip): register \(register) holds \(hexadecimal(read)) after \(hexadecimal(wrote)) was written: the chip "
                + "was reset or is not a genuine \(register.chip); check its supply (3.3 V) if this comes back"
        case .overrun(let register):
            "\(register.chip): the FIFO (\(register)) overflowed before it was read and this "
                + "window is lost; if this comes back, find what keeps the agent from running for over a second"
        case .noWindow(let chip):
            "\(chip): no window is being recorded; start one before reading"
        }
    }

    private func deadLine(_ identity: UInt8) -> String? {
        switch identity {
        case 0x00: "the data line reads low; check SDA, the pull-ups and the chip's supply"
        case 0xFF: "the data line reads high; check SDA and the chip's supply"
        default: nil
        }
    }
}

extension I2CAddress: CustomStringConvertible {
    /// Such as `0x68`.
    public var description: String { hexadecimal(rawValue) }
}

private func hundredths(_ value: Float) -> String {
    let count = Int((value * 100).rounded())
    return "\(count / 100).\(count % 100 / 10)\(count % 10)"
}
