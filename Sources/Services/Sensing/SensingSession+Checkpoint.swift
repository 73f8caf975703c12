import Domains
import Quantities

/// The state that outlives a restart: parts with a version of their own (docs/decisions/0023-parts.md).
extension SensingSession {
    /// Tags from 0x100 on are for the state of collectors. Never reuse one.
    private enum CheckpointPart {
        static let daybook = Parts.Kind(1, version: 1)
        /// The wearer as windows have shown them.
        static let wearer = Parts.Kind(2, version: 1)

        /// With those of the collectors of this program.
        static let all =
            [daybook, wearer]
            + Domain.all.compactMap { domain in domain.collector.map { CollectedDomain.part(of: domain, $0) } }
    }

    /// Everything that a restart must not lose: open days, the still spell, the state of every collector, and parts of the
    /// restored checkpoint that this program does not know. Which devices are open is not among it; a restart opens them
    /// anew.
    public func checkpoint(at now: Instant) -> [UInt8] {
        var parts = keptParts
        parts.put(CheckpointPart.daybook) { daybook.pack(into: &$0) }
        parts.put(CheckpointPart.wearer) { wearer.pack(into: &$0, at: now) }
        for member in collectors { parts.put(member.part) { member.collector.pack(into: &$0, at: now) } }
        return parts.bytes
    }

    /// Takes up where a checkpoint left off; a part that it does not hold begins anew. Call it before the first event. On
    /// an error the session is as it was.
    ///
    /// Keeps no reference to the bytes, so the caller can wipe them.
    public mutating func restore(_ checkpoint: [UInt8], at now: Instant) throws(Unpacker.Malformed) {
        var restored = self
        let parts = try Parts(checkpoint)
        guard !parts.isEmpty else { throw Unpacker.Malformed() }
        if var unpacker = try parts[CheckpointPart.daybook]?.unpacker {
            try restored.daybook.unpack(from: &unpacker)
            guard unpacker.isAtEnd else { throw Unpacker.Malformed() }
        }
        if var unpacker = try parts[CheckpointPart.wearer]?.unpacker {
            try restored.wearer.unpack(from: &unpacker, at: now)
            guard unpacker.isAtEnd else { throw Unpacker.Malformed() }
        }
        for index in collectors.indices {
            guard let part = try parts[collectors[index].part] else { continue }
            var unpacker = part.unpacker
            try restored.collectors[index].collector.unpack(from: &unpacker, version: part.version, at: now)
            guard unpacker.isAtEnd else { throw Unpacker.Malformed() }
        }
        restored.keptParts = parts.excluding(CheckpointPart.all + collectors.map(\.part))
        self = restored
    }

    /// The first part of the checkpoint that a newer version of this program wrote; nil where there is none, or the bytes
    /// are no checkpoint. A session that began anew would overwrite it.
    public static func newerPart(of checkpoint: [UInt8]) -> (tag: Parts.Tag, found: UInt8, known: UInt8)? {
        guard let parts = parts(of: checkpoint), let part = parts.firstNewer(than: CheckpointPart.all),
            let kind = CheckpointPart.all.first(where: { $0.tag == part.tag })
        else { return nil }
        return (part.tag, part.version, kind.version)
    }

    private static func parts(of checkpoint: [UInt8]) -> Parts? {
        do {
            return try Parts(checkpoint)
        } catch {
            return nil
        }
    }

    /// The figures of the day so far, with what is still undecided counted as if it stood.
    public func today(at now: Instant) -> ClosedDay {
        let day = UTCDay(containing: now.wall)
        return ClosedDay(day: day, figures: daybook.figures(of: day))
    }
}
