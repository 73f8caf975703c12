import Core

/// The message handed to a sink for a record, kept from before the first attempt until the sink has settled it. As long
/// as it may have arrived, the key of the record is sent only with these bytes (SPEC §7).
public struct HandedMessage: Equatable, Sendable {
    /// The length of a fingerprint in bytes.
    static let fingerprintLength = 16

    /// The fingerprint of its account.
    let account: [UInt8]
    /// `Figure.id` of each figure in it; empty for an event.
    public let figures: [UInt8]
    /// The bytes as sent.
    public let body: [UInt8]

    init(account: [UInt8], figures: [UInt8], body: [UInt8]) {
        self.account = account
        self.figures = figures
        self.body = body
    }

    func pack(into packer: inout Packer) {
        packer.put(account[...])
        packer.put(UInt8(clamping: figures.count))
        packer.put(figures[...])
        packer.put(body[...])
    }

    init(_ content: ArraySlice<UInt8>) throws(Unpacker.Malformed) {
        var unpacker = Unpacker(content)
        account = Array(try unpacker.takeBytes(HandedMessage.fingerprintLength))
        let count: UInt8 = try unpacker.take()
        figures = Array(try unpacker.takeBytes(Int(count)))
        body = Array(content.suffix(content.count - HandedMessage.fingerprintLength - 1 - Int(count)))
    }
}
