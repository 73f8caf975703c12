import Core

/// The wearer's body, as far as the wearer has given it. Stored sealed, and never sent.
public struct WearerProfile: BookRow {
    /// Raw values are stored; never reuse one.
    public enum Sex: UInt8, CaseIterable, Sendable {
        case female = 1
        case male = 2
    }

    public static let book = Book.wearerProfile
    public static let heights: ClosedRange<UInt16> = 80...250
    public static let weights: ClosedRange<UInt16> = 20...400
    public static let years: ClosedRange<UInt16> = 1900...2100

    /// In centimetres.
    public var height: UInt16?
    /// In kilograms.
    public var weight: UInt16?
    /// The year of birth.
    public var born: UInt16?
    public var sex: Sex?
    private var kept = Parts()

    public init() {}

    /// In metres: the height of an average adult with steps of the same length; nil if unknown.
    ///
    /// Source: pedometers commonly take 0.415 of a man's height for the length of a step, and 0.413 of a woman's.
    var walkingHeight: Float? {
        guard let height = height.map(Float.init) else { return nil }
        return switch sex {
        case nil: height / 100
        case .female: height / 100 * 0.413 / 0.414
        case .male: height / 100 * 0.415 / 0.414
        }
    }

    /// Energy at rest, in kcal per minute; nil without a weight.
    ///
    /// Source: Harris and Benedict, 1918, if height, age and sex are known; otherwise one MET.
    ///
    /// - Parameter year: the present one; nil if unknown.
    func restingEnergy(in year: Int?) -> Float? {
        guard let weight = weight.map(Float.init) else { return nil }
        guard let height = height.map(Float.init), let sex, let age = age(in: year) else { return weight / 60 }
        let perDay =
            switch sex {
            case .male: 66.47 + 13.75 * weight + 5.003 * height - 6.755 * age
            case .female: 655.1 + 9.563 * weight + 1.850 * height - 4.676 * age
            }
        return max(perDay, 0) / 1440
    }

    private func age(in year: Int?) -> Float? {
        guard let born, let year, (Int(born)...Int(born) + 120).contains(year) else { return nil }
        return Float(year - Int(born))
    }

    public var tallies: [BookTally] {
        let given = [height, weight, born, sex.map { UInt16($0.rawValue) }].compactMap(\.self)
        return [BookTally("bodily measure", given.count)]
    }

    private static let part = Parts.Kind(1, version: 1)

    public var bytes: [UInt8] {
        var parts = kept
        parts.put(Self.part) { packer in
            for value in [height, weight, born] { packer.put(value ?? 0) }
            packer.put(sex?.rawValue ?? 0)
        }
        return parts.bytes
    }

    public static func newerPart(of bytes: [UInt8]) -> Parts.Newer? { Parts.firstNewer(in: bytes, than: [part]) }

    public init(_ bytes: [UInt8]) throws(Unpacker.Malformed) {
        let parts = try Parts(bytes)
        if var unpacker = try parts[Self.part]?.unpacker {
            height = try Self.value(from: &unpacker, in: Self.heights)
            weight = try Self.value(from: &unpacker, in: Self.weights)
            born = try Self.value(from: &unpacker, in: Self.years)
            let raw: UInt8 = try unpacker.take()
            sex = Sex(rawValue: raw)
            guard sex != nil || raw == 0 else { throw Unpacker.Malformed() }
        }
        kept = parts.excluding([Self.part])
    }

    private static func value(
        from unpacker: inout Unpacker, in range: ClosedRange<UInt16>
    ) throws(Unpacker.Malformed) -> UInt16? {
        let value: UInt16 = try unpacker.take()
        guard value == 0 || range.contains(value) else { throw Unpacker.Malformed() }
        return value == 0 ? nil : value
    }
}

extension Book {
    /// Data about the wearer, for the figures of walks.
    public static let wearerProfile = Book(
        id: 6, name: "wearer", meaning: "your height, weight, year of birth and sex, as far as you give them",
        source: .session, rows: .one(lasting: "until you delete them"), of: WearerProfile.self, informsCollector: true)
}
