/// A transfer on a bus that another process serves, as one packet of a Unix socket.
///
/// Address, then each message: 0 for a write or 1 for a read, the count of bytes (16 bits, low byte first), and the
/// bytes of a write. The answer is one byte, 0 or an errno, and then the bytes read.
public struct ServedTransfer: Equatable, Sendable {
    public let chip: I2CAddress
    public let messages: [I2CMessage]

    /// The most bytes of a packet. A longer read is split.
    public static let longest = 4096

    public init(_ messages: [I2CMessage], with chip: I2CAddress) {
        self.chip = chip
        self.messages = messages
    }

    /// Nil for bytes that are no transfer: a reserved address, an unknown kind of message, a missing byte, or a read
    /// whose answer exceeds a packet.
    public init?(packet: [UInt8]) {
        var rest = packet[...]
        guard let address = rest.popFirst().flatMap(I2CAddress.init) else { return nil }
        var messages: [I2CMessage] = []
        while let kind = rest.popFirst() {
            guard let low = rest.popFirst(), let high = rest.popFirst() else { return nil }
            let count = Int(low) | Int(high) << 8
            switch kind {
            case 0 where rest.count >= count:
                messages.append(.write(Array(rest.prefix(count))))
                rest = rest.dropFirst(count)
            case 1 where count < Self.longest: messages.append(.read(count))
            default: return nil
            }
        }
        self.init(messages, with: address)
    }

    public var packet: [UInt8] {
        messages.reduce(into: [chip.rawValue]) { packet, message in
            let count = UInt16(clamping: message.count)
            packet += [message.isWrite ? 0 : 1, UInt8(count & 0xFF), UInt8(count >> 8)]
            if case .write(let bytes) = message { packet += bytes }
        }
    }
}
