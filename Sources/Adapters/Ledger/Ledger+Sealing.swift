import Vault

extension Ledger {
    /// Seals a payload and wipes it.
    func seal(_ plain: consuming [UInt8], for place: SealedPlace) -> [UInt8] {
        let sealed = vault.seal(plain, for: place)
        Vault.wipe(&plain)
        return sealed
    }

    /// The result of `read` for a sealed payload, whose plain bytes are wiped afterwards.
    ///
    /// - Parameter name: the name of the row in the error when it does not open or `read` returns nil.
    func opened<Value>(
        _ sealed: [UInt8], at place: SealedPlace, called name: @autoclosure () -> String,
        read: (UnsafeRawBufferPointer) -> Value?
    ) throws(LedgerError) -> Value {
        do {
            if let value = try vault.withOpened(sealed, for: place, read) { return value }
        } catch {
            // Thrown below, together with the row's name.
        }
        throw .unreadable(path: path, row: name())
    }
}

extension Int64 {
    /// The payload of a single figure: eight bytes, little-endian.
    var payload: [UInt8] { withUnsafeBytes(of: littleEndian) { Array($0) } }

    /// Nil for any other number of bytes.
    init?(payload: UnsafeRawBufferPointer) {
        guard payload.count == 8 else { return nil }
        self.init(littleEndian: payload.loadUnaligned(as: Int64.self))
    }
}
