import Core
import Domains

extension Ledger {
    /// Seals a payload and wipes it.
    func seal(_ plain: consuming [UInt8], for place: SealedPlace) -> [UInt8] {
        let sealed = vault.seal(plain, for: place)
        Vault.wipe(&plain)
        return sealed
    }

    /// Seals bytes for a file beside the store; the caller wipes them.
    public func sealed(_ plain: [UInt8], for place: SealedPlace) -> [UInt8] { vault.seal(plain, for: place) }

    /// Opens the content of such a file; nil if it was not sealed with this key and for this place.
    public func opened(_ sealed: [UInt8], for place: SealedPlace) -> [UInt8]? { try? vault.open(sealed, for: place) }

    /// The result of `read` for a sealed payload, whose plain bytes are wiped afterwards.
    ///
    /// - Parameter name: the name of the row, for the error if it does not open.
    func opened<Value>(
        _ sealed: [UInt8], at place: SealedPlace, called name: @autoclosure () -> String,
        read: (UnsafeRawBufferPointer) -> Value
    ) throws(LedgerError) -> Value {
        if let value = vault.open(sealed, for: place, read: read) { return value }
        throw .unreadable(path: path, row: name())
    }

    /// A sealed value; nil if it does not open.
    func openValue(_ sealed: [UInt8], at place: SealedPlace) -> Int64? {
        vault.open(sealed, for: place, read: Int64.init(payload:))
    }

    /// The sealed value of a figure; nil if it does not open, or is not of that figure.
    func openValue(of figure: Figure, _ sealed: [UInt8], at place: SealedPlace) -> FigureValue? {
        let value = vault.open(sealed, for: place, read: FigureValue.init(payload:))
        return value.flatMap { $0.fits(figure) ? $0 : nil }
    }
}

extension Vault {
    /// The result of `read` for a sealed payload, whose plain bytes are wiped afterwards; nil if it does not open, or
    /// `read` throws.
    func open<Value>(
        _ sealed: [UInt8], for place: SealedPlace, read: (UnsafeRawBufferPointer) throws(Unpacker.Malformed) -> Value
    ) -> Value? {
        do {
            // `try?`: the bytes have another content.
            return try withOpened(sealed, for: place) { plain in try? read(plain) }
        } catch {
            return nil
        }
    }

    /// Whether the bytes open in this place.
    func opens(_ sealed: [UInt8], for place: SealedPlace) -> Bool { open(sealed, for: place) { _ in true } ?? false }
}

extension Int64 {
    /// The payload of a single value.
    var payload: [UInt8] { FigureValue(self).payload }

    init(payload: UnsafeRawBufferPointer) throws(Unpacker.Malformed) {
        let value = try FigureValue(payload: payload)
        guard value.numbers.count == 1 else { throw Unpacker.Malformed() }
        self = value.number
    }
}

extension FigureValue {
    private static let part = Parts.Kind(1, version: 1)

    /// Parts of other versions beside it are skipped.
    var payload: [UInt8] {
        var parts = Parts()
        parts.put(Self.part) { packer in
            for number in numbers { packer.put(number) }
        }
        return parts.bytes
    }

    init(payload: UnsafeRawBufferPointer) throws(Unpacker.Malformed) {
        guard var unpacker = try Parts(Array(payload))[Self.part]?.unpacker else { throw Unpacker.Malformed() }
        var numbers: [Int64] = []
        while !unpacker.isAtEnd { numbers.append(try unpacker.take()) }
        self.init(numbers)
    }
}
