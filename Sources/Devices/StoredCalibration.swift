import Core

/// The calibration of one chip of this device.
public struct StoredCalibration: Equatable, Sendable {
    /// The chip's name in the configuration, and its address.
    public let chip: String
    public let address: I2CAddress
    /// By the wall clock, trusted or not.
    public let madeAt: WallTime
    public let correction: Correction
    /// The mean deviation from 1 g at rest, in g, without and with the correction.
    public let errorBefore: Float
    public let errorAfter: Float

    public init(
        chip: String, address: I2CAddress, madeAt: WallTime, correction: Correction, errorBefore: Float,
        errorAfter: Float
    ) {
        self.chip = chip
        self.address = address
        self.madeAt = madeAt
        self.correction = correction
        self.errorBefore = errorBefore
        self.errorAfter = errorAfter
    }
}

/// A line of the file: chip, address, date, three gains, three offsets and two errors, the numbers in millionths.
extension StoredCalibration {
    private static let fieldCount = 11
    /// In millionths; the widest that a sound chip needs.
    private static let gains = 800_000...1_200_000
    private static let offsets = -200_000...200_000
    private static let errors = 0...1_000_000

    /// Nil for a malformed line or a value outside these limits.
    init?(line: Substring) {
        let fields = line.split(separator: " ")
        guard fields.count == Self.fieldCount, fields[1].hasPrefix("0x"),
            let address = UInt8(fields[1].dropFirst(2), radix: 16).flatMap({ I2CAddress($0) }),
            let madeAt = WallTime(fields[2])
        else { return nil }
        let numbers = fields[3...].compactMap { Int($0) }
        guard numbers.count == Self.fieldCount - 3, numbers[..<3].allSatisfy(Self.gains.contains),
            numbers[3..<6].allSatisfy(Self.offsets.contains), numbers[6...].allSatisfy(Self.errors.contains)
        else { return nil }
        let parts = numbers.map { Float($0) / 1_000_000 }
        self.init(
            chip: String(fields[0]), address: address, madeAt: madeAt,
            correction: Correction(
                offset: Acceleration(x: parts[3], y: parts[4], z: parts[5]),
                gain: Acceleration(x: parts[0], y: parts[1], z: parts[2])),
            errorBefore: parts[6], errorAfter: parts[7])
    }

    var line: String {
        let (gain, offset) = (correction.gain, correction.offset)
        let numbers = [gain.x, gain.y, gain.z, offset.x, offset.y, offset.z, errorBefore, errorAfter]
        let texts = numbers.map { String(Int(($0 * 1_000_000).rounded())) }
        return ([chip, "\(address)", "\(madeAt)"] + texts).joined(separator: " ")
    }
}
