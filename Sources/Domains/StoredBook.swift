import Quantities

/// A value that is stored as a whole, in a row of its own.
public protocol StoredBook {
    /// An empty one.
    init()

    /// Reads what `bytes` of this or an older version wrote.
    init(_ bytes: [UInt8]) throws(Unpacker.Malformed)

    /// The part of these bytes that a newer version of the program wrote: they are neither read nor replaced then (SPEC §9).
    static func newerPart(of bytes: [UInt8]) -> Parts.Newer?

    var bytes: [UInt8] { get }
}

extension Parts {
    /// `firstNewer` of the parts in these bytes; nil where they hold no parts.
    static func firstNewer(in bytes: [UInt8], than known: [Kind]) -> Newer? {
        // `try?`: what holds no parts has no newer one.
        try? Parts(bytes).firstNewer(than: known)
    }
}
