import Consent
import Quantities

/// One entry of the consent trail: when, what, from, to, by whom (SPEC §2 rule 7).
public struct ConsentEntry: Equatable, Sendable {
    /// What stored data names to say under which entry it was collected. Ascending in time.
    public typealias ID = Int64

    /// What was changed.
    public enum Change: Hashable, Sendable {
        case toggle(from: Bool, to: Bool)
    }

    public let id: ID
    public let at: WallTime
    public let domain: Domain
    public let change: Change
    public let by: ConsentActor

    /// Whether the entry leaves the domain turned on.
    public var isOn: Bool {
        switch change {
        case .toggle(_, let isOn): isOn
        }
    }
}

extension ConsentEntry.Change {
    /// How the kind of change is stored in clear; never reuse a number.
    static let toggleKind: UInt8 = 1

    var kind: UInt8 {
        switch self {
        case .toggle: ConsentEntry.Change.toggleKind
        }
    }
}

extension ConsentEntry {
    /// The sealed part of the row: when, by whom, from, to.
    var payload: [UInt8] {
        var packer = Packer()
        packer.put(at.nanoseconds)
        packer.put(by.rawValue)
        switch change {
        case .toggle(let old, let new):
            packer.put(old)
            packer.put(new)
        }
        return packer.bytes
    }

    /// Nil for a change that we do not know.
    init?(id: ID, domain: UInt8, kind: UInt8, payload: UnsafeRawBufferPointer) {
        guard kind == Change.toggleKind, payload.count == 11, payload[9] <= 1, payload[10] <= 1,
            let domain = Domain(rawValue: domain), let actor = ConsentActor(rawValue: payload[8]),
            let at = Int64(payload: UnsafeRawBufferPointer(rebasing: payload[..<8]))
        else { return nil }
        let change = Change.toggle(from: payload[9] == 1, to: payload[10] == 1)
        self.init(id: id, at: WallTime(nanoseconds: at), domain: domain, change: change, by: actor)
    }
}
