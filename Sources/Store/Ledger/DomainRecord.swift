import Core

/// The snapshot's record of one domain, besides its state.
struct DomainRecord: Equatable, Sendable {
    /// The entry under which it is, or was last, collected; zero if it was never on.
    var lastOn: ConsentEntry.ID = 0
    /// The latest entry that records a deletion of its data; zero for none.
    var forgottenAt: ConsentEntry.ID = 0
    var toggledAt: WallTime?
    var statusChangedAt: WallTime?
    /// The time at which the wearer's toggle turned it off. Nil while it is on, and after anything else withdrew it,
    /// because that cannot be a flick.
    var slippedAt: WallTime?
}

extension DomainRecord {
    func pack(into packer: inout Packer) {
        packer.put(lastOn)
        packer.put(forgottenAt)
        for time in [toggledAt, statusChangedAt, slippedAt] {
            packer.put(time != nil)
            packer.put(time?.nanoseconds ?? 0)
        }
    }

    init(from unpacker: inout Unpacker) throws(Unpacker.Malformed) {
        lastOn = try unpacker.takeEntry()
        forgottenAt = try unpacker.takeEntry()
        toggledAt = try unpacker.takeOptionalTime()
        statusChangedAt = try unpacker.takeOptionalTime()
        slippedAt = try unpacker.takeOptionalTime()
    }
}

extension Unpacker {
    /// The number of an entry, or zero.
    mutating func takeEntry() throws(Malformed) -> ConsentEntry.ID {
        let id: Int64 = try take()
        guard id >= 0 else { throw Malformed() }
        return id
    }

    fileprivate mutating func takeOptionalTime() throws(Malformed) -> WallTime? {
        let isThere = try takeBool()
        let time = WallTime(nanoseconds: try take())
        return isThere ? time : nil
    }
}
