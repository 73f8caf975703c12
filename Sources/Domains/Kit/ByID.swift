/// A value stored as its id, and listed among all that this version knows. Two with the same id are equal.
public protocol Listed: Hashable, Sendable {
    /// Never reused for another value.
    var id: UInt8 { get }
    static var all: [Self] { get }
}

extension Listed {
    public static func == (left: Self, right: Self) -> Bool { left.id == right.id }
    public func hash(into hasher: inout Hasher) { hasher.combine(id) }

    /// The value with this id; nil for an id that this version does not know.
    public init?(id: UInt8) {
        for value in Self.all where value.id == id {
            self = value
            return
        }
        return nil
    }
}

/// A value for each id. Ids without a value of their own have the default one.
public struct ByID<Value: Equatable & Sendable>: Sendable {
    private let usual: Value
    /// By id, up to the highest with a value of its own.
    private var values: [Value] = []

    /// - Parameter usual: the default value.
    public init(usual: Value) { self.usual = usual }

    public subscript(id: UInt8) -> Value {
        get { Int(id) < values.count ? values[Int(id)] : usual }
        set {
            while values.count <= Int(id) { values.append(usual) }
            values[Int(id)] = newValue
        }
    }

    /// The ids with values other than the default, in rising order.
    public var ids: [UInt8] {
        var ids: [UInt8] = []
        for index in values.indices where values[index] != usual { ids.append(UInt8(index)) }
        return ids
    }
}

extension ByID: Equatable {
    public static func == (left: ByID, right: ByID) -> Bool {
        for index in 0..<max(left.values.count, right.values.count)
        where left[UInt8(index)] != right[UInt8(index)] { return false }
        return left.usual == right.usual
    }
}
