import Domains
import Core

/// The single sealed row with the store's identity and progress.
///
/// The generation grows with every commit. A commit of the session's state alone stores it beside the checkpoint, so
/// that it writes one page; every other commit rewrites this row. The store's generation is the higher of the two.
struct StoreMark: Equatable, Sendable {
    /// Random, made with the store.
    var identity: [UInt8]
    /// The generation of the commit that wrote this row.
    var generation: Int64 = 0
    /// The generation of the latest commit of more than figures.
    var decided: Int64 = 0
    /// The digest of the tables after the commit that wrote this row.
    var digest = StoreDigest()
    /// The version of the tables. The file's header has it too, but unsealed.
    var schema = Schema.version
    /// The latest entry of the consent trail.
    var consentEnd: ConsentEntry.ID = 0
    /// Whether an anchor was written: if it is missing, it was removed.
    var isAnchored = false
    /// Spans of time with lost commits.
    var gaps: [StoreGap] = []
    /// Parts of other versions, written back as they were read.
    private var kept = Parts()

    static let identityLength = 16

    init() { identity = (0..<StoreMark.identityLength).map { _ in UInt8.random(in: 0...UInt8.max) } }
}

extension StoreMark {
    /// Nil if it does not open.
    static func opened(_ sealed: [UInt8], _ vault: Vault) -> StoreMark? {
        vault.open(sealed, for: .mark, read: StoreMark.init(payload:))
    }
}

// MARK: - Storing

extension StoreMark {
    /// Never reuse a tag. Every version reads the first part, so that an older program recognises a newer store.
    private enum Part {
        static let store = Parts.Kind(1, version: 1)
        static let consentEnd = Parts.Kind(2, version: 1)
        static let gaps = Parts.Kind(3, version: 1)
        static let digest = Parts.Kind(4, version: 1)
        static let anchored = Parts.Kind(5, version: 1)
        /// The gaps of single domains.
        static let partialGaps = Parts.Kind(6, version: 1)

        static let all = [store, consentEnd, gaps, digest, anchored, partialGaps]
    }

    var payload: [UInt8] {
        var parts = kept
        parts.put(Part.store) { packer in
            packer.put(identity[...])
            packer.put(generation)
            packer.put(schema)
        }
        parts.put(Part.consentEnd) {
            $0.put(consentEnd)
            $0.put(decided)
        }
        parts.put(Part.digest) { digest.pack(into: &$0) }
        if isAnchored { parts.put(Part.anchored, []) }
        parts.put(Part.gaps) { packer in
            for gap in gaps where gap.domains == .everything { gap.pack(into: &packer) }
        }
        parts.put(Part.partialGaps) { packer in
            for gap in gaps where gap.domains != .everything {
                packer.put(gap.domains.packed)
                gap.pack(into: &packer)
            }
        }
        return parts.bytes
    }

    init(payload: UnsafeRawBufferPointer) throws(Unpacker.Malformed) {
        let parts = try Parts(Array(payload))
        guard var unpacker = try parts[Part.store]?.unpacker else { throw Unpacker.Malformed() }
        identity = Array(try unpacker.takeBytes(StoreMark.identityLength))
        generation = try unpacker.take()
        schema = try unpacker.take()
        if var unpacker = try parts[Part.consentEnd]?.unpacker {
            consentEnd = try unpacker.take()
            decided = try unpacker.take()
        }
        if var unpacker = try parts[Part.digest]?.unpacker { digest = try StoreDigest(from: &unpacker) }
        isAnchored = try parts[Part.anchored] != nil
        kept = parts.excluding(Part.all)
        if var unpacker = try parts[Part.partialGaps]?.unpacker {
            while !unpacker.isAtEnd {
                let domains = DomainSet(packed: try unpacker.take())
                gaps.append(try StoreGap(from: &unpacker))
                gaps[gaps.count - 1].domains = domains
            }
        }
        guard var unpacker = try parts[Part.gaps]?.unpacker else { return }
        while !unpacker.isAtEnd { gaps.append(try StoreGap(from: &unpacker)) }
    }
}
