import Consent
import Quantities

/// An entry of the consent trail as a row's payload: with its own number and the hash of the entry before it.
///
/// The number is within the payload, and not in its `SealedPlace`, so that a row that was moved still opens and names
/// its place. The caller that opens one compares the two numbers.
struct ChainLink: Equatable {
    let entry: ConsentEntry
    let previous: ChainHash
    /// The state before this entry could not be trusted, so consent began anew, with everything off and no question
    /// answered.
    let beginsAnew: Bool

    var payload: [UInt8] {
        var packer = Packer()
        packer.put(entry.id)
        packer.put(entry.at.nanoseconds)
        packer.put(entry.by.rawValue)
        entry.change.pack(into: &packer)
        packer.put(beginsAnew)
        previous.pack(into: &packer)
        return packer.bytes
    }

    init(entry: ConsentEntry, previous: ChainHash, beginsAnew: Bool) {
        self.entry = entry
        self.previous = previous
        self.beginsAnew = beginsAnew
    }

    /// Nil for bytes that are not a link.
    init?(payload: [UInt8]) {
        do throws(Unpacker.Malformed) {
            var unpacker = Unpacker(payload)
            let id: Int64 = try unpacker.take()
            let at = WallTime(nanoseconds: try unpacker.take())
            let actor = try unpacker.takeActor()
            let change = try ConsentChange(from: &unpacker)
            beginsAnew = try unpacker.takeBool()
            previous = try ChainHash(from: &unpacker)
            guard unpacker.isAtEnd, id > 0 else { return nil }
            entry = ConsentEntry(id: id, at: at, change: change, by: actor)
        } catch {
            return nil
        }
    }
}
