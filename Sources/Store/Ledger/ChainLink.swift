import Domains
import Core

/// An entry of the consent trail as a row's payload: with its own number and the hash of the previous entry.
///
/// The number is in the payload, and not in its `SealedPlace`, so that a moved row still opens and shows its place. A
/// caller that opens a row compares the two numbers.
struct ChainLink: Equatable {
    let entry: ConsentEntry
    let previous: ChainHash
    /// The state before this entry could not be trusted, so consent began again, with everything off and no question
    /// answered.
    let beginsAnew: Bool

    /// Never reuse a tag.
    private enum Part {
        /// Number, time, actor, whether consent began again, and the hash of the previous entry: all that the chain
        /// needs.
        static let link = Parts.Kind(1, version: 1)
        static let change = Parts.Kind(2, version: 1)
    }

    var payload: [UInt8] {
        var parts = Parts()
        parts.put(Part.link) { packer in
            packer.put(entry.id)
            packer.put(entry.at.nanoseconds)
            packer.put(entry.by.rawValue)
            packer.put(beginsAnew)
            previous.pack(into: &packer)
        }
        parts.put(Part.change) { entry.change.pack(into: &$0) }
        return parts.bytes
    }

    init(entry: ConsentEntry, previous: ChainHash, beginsAnew: Bool) {
        self.entry = entry
        self.previous = previous
        self.beginsAnew = beginsAnew
    }

    /// Nil for bytes that are not a link. A change or parts of another version are still part of a valid entry.
    init?(payload: [UInt8]) {
        do throws(Unpacker.Malformed) {
            let parts = try Parts(payload)
            guard var unpacker = try parts[Part.link]?.unpacker else { return nil }
            let id: Int64 = try unpacker.take()
            let at = WallTime(nanoseconds: try unpacker.take())
            let actor = ConsentActor(rawValue: try unpacker.take())
            beginsAnew = try unpacker.takeBool()
            previous = try ChainHash(from: &unpacker)
            guard unpacker.isAtEnd, id > 0, let stored = parts[Part.change.tag] else { return nil }
            let change =
                stored.version > Part.change.version ? ConsentChange.unknown : ConsentChange(stored: stored.content)
            entry = ConsentEntry(id: id, at: at, change: change, by: actor)
        } catch {
            return nil
        }
    }
}

/// The hash of one entry of the consent trail, stored in the next entry: a keyed hash of the whole payload, and so of
/// all earlier entries too.
struct ChainHash: Equatable, Sendable {
    /// The hash stored in the first entry.
    static let none = ChainHash(bytes: [UInt8](repeating: 0, count: Vault.chainHashLength))

    let bytes: [UInt8]

    private init(bytes: [UInt8]) { self.bytes = bytes }

    init(of payload: [UInt8], under vault: Vault) { bytes = vault.chainHash(of: payload, at: .consent) }
}

extension ChainHash {
    func pack(into packer: inout Packer) {
        packer.put(bytes[...])
    }

    init(from unpacker: inout Unpacker) throws(Unpacker.Malformed) {
        bytes = Array(try unpacker.takeBytes(Vault.chainHashLength))
    }
}
