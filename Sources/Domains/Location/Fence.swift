/// A circle around one of the wearer's places (SPEC §11), from the configuration.
public struct Fence: Equatable, Sendable {
    /// The most fences in a configuration.
    static let most = 64

    public let name: String
    /// In degrees; nil if missing, which the configuration's checks reject.
    public var latitude, longitude: Double?
    /// In metres, at least 100.
    public var radius: Int32 = 100

    public init(name: String) { self.name = name }

    public var centre: Coordinates? {
        guard let latitude, let longitude else { return nil }
        return Coordinates(latitude: latitude, longitude: longitude)
    }

    /// Stands for the name in stored numbers: 1 or more (FNV-1a of 31 bits).
    public var number: Int32 { Fence.number(ofName: name) }

    static func number(ofName name: String) -> Int32 {
        let hash = name.utf8.reduce(UInt32(2_166_136_261)) { ($0 ^ UInt32($1)) &* 16_777_619 }
        return max(1, Int32(hash >> 1))
    }
}

extension [Fence] {
    /// The fence of this name; appended when written, if it does not exist.
    subscript(draft name: String) -> Fence {
        get { first { $0.name == name } ?? Fence(name: name) }
        set {
            if let index = firstIndex(where: { $0.name == name }) {
                self[index] = newValue
            } else if newValue != Fence(name: name) {
                append(newValue)
            }
        }
    }

    /// The name behind a stored number; nil if it is no longer configured.
    public func name(ofNumber number: Int32) -> String? { first { $0.number == number }?.name }
}
