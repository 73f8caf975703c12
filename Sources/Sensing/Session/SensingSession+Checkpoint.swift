import Domains
import Store
import Core

/// The state that survives a restart: parts with versions of their own (docs/decisions/0023-parts.md).
extension SensingSession {
    /// Tags from 0x100 on are for the state of collectors. Never reuse one.
    private enum CheckpointPart {
        static let daybook = Parts.Kind(1, version: 1)
        /// The state of the wearer by the windows.
        static let wearer = Parts.Kind(2, version: 1)
        /// The boot and its clock, to which the times of all other parts refer.
        static let origin = Parts.Kind(3, version: 1)
        /// The time of the step sensor's last pulse.
        static let lastPulse = Parts.Kind(4, version: 1)
        /// There while the LEDs of the pulse oximeter are lit, and empty.
        static let light = Parts.Kind(5, version: 1)

        /// Without the parts of collectors.
        static let ofTheSession = [daybook, wearer, origin, lastPulse, light]
        /// With the parts of this program's collectors.
        static let all =
            ofTheSession
            + Domain.all.compactMap { domain in domain.collector.map { CollectedDomain.part(of: domain, $0) } }
    }

    /// Everything that a restart must not lose: open quarters, the state of the wearer and of every collector, and
    /// parts of the restored checkpoint that this program does not know. Open devices are not included; a restart opens
    /// them again.
    public func checkpoint(at now: Instant) -> [UInt8] {
        var parts = keptParts
        parts.put(CheckpointPart.daybook) { daybook.pack(into: &$0) }
        parts.put(CheckpointPart.wearer) { wearer.pack(into: &$0) }
        parts.put(CheckpointPart.origin) { origin(at: now).pack(into: &$0) }
        if let lastPulse { parts.put(CheckpointPart.lastPulse) { $0.put(lastPulse) } }
        if lightDue != nil || mayBeLit { parts.put(CheckpointPart.light) { _ in } }
        // By index: copying a collector costs more than packing it.
        for index in collectors.indices where hasState(collectors[index].domain) {
            parts.put(collectors[index].part) { collectors[index].collector.pack(into: &$0) }
        }
        return parts.bytes
    }

    /// Whether the collector of the domain may have a state. That of a domain that is off has none: it began anew when
    /// its domain was turned off. Before the first order, it has the one of the restored checkpoint.
    private func hasState(_ domain: Domain) -> Bool {
        order.map { $0.domains.allows(domain) || $0.suspended.allows(domain) } ?? restored.allows(domain)
    }

    private func origin(at now: Instant) -> CheckpointOrigin {
        CheckpointOrigin(boots: earlierBoots + [reading(at: now)], settledDay: settledDay)
    }

    /// The present knowledge about this boot.
    func reading(at now: Instant) -> BootReading { BootReading(id: daybook.boot, seen: now.boot, clock: clock) }

    /// Continues from a checkpoint; a part that it lacks begins anew. Call it after `begin` and before the first event.
    /// On an error the session is unchanged.
    ///
    /// The state of an earlier boot continues if the clocks of both boots show that it ended a short time ago.
    /// Otherwise its age is unknown or too great, and nothing counts as uninterrupted.
    ///
    /// Keeps no reference to the bytes, so the caller can wipe them.
    public mutating func restore(_ checkpoint: [UInt8], at now: Instant) throws(Unpacker.Malformed) {
        var restored = self
        restored.restored = []
        let parts = try Parts(checkpoint)
        guard !parts.isEmpty else { throw Unpacker.Malformed() }
        let times = try restored.takeUp(CheckpointOrigin(parts[CheckpointPart.origin]), at: now)
        if var unpacker = try parts[CheckpointPart.daybook]?.unpacker {
            try restored.daybook.unpack(from: &unpacker)
            guard unpacker.isAtEnd else { throw Unpacker.Malformed() }
        }
        if var unpacker = try parts[CheckpointPart.wearer]?.unpacker {
            try restored.wearer.unpack(from: &unpacker, times)
            guard unpacker.isAtEnd else { throw Unpacker.Malformed() }
        }
        if var unpacker = try parts[CheckpointPart.lastPulse]?.unpacker {
            let pulse = try unpacker.takeTime(times)
            guard unpacker.isAtEnd else { throw Unpacker.Malformed() }
            restored.lastPulse = pulse <= times.now ? pulse : nil
        }
        restored.mayBeLit = try parts[CheckpointPart.light] != nil
        for index in collectors.indices {
            guard let part = try parts[collectors[index].part] else { continue }
            restored.restored.insert(collectors[index].domain)
            var unpacker = part.unpacker
            try restored.collectors[index].collector.unpack(from: &unpacker, version: part.version, times: times)
            guard unpacker.isAtEnd else { throw Unpacker.Malformed() }
        }
        restored.keptParts = parts.excluding(CheckpointPart.ofTheSession + collectors.map(\.part))
        self = restored
    }

    /// Takes the boots and the settled day, and returns the conversion of the checkpoint's times to this boot's clock.
    private mutating func takeUp(
        _ origin: CheckpointOrigin?, at now: Instant
    ) throws(Unpacker.Malformed) -> RestoredTimes {
        guard let origin, let last = origin.boots.last else { throw Unpacker.Malformed() }
        settledDay = origin.settledDay
        if last.id == daybook.boot {
            earlierBoots = origin.boots.dropLast()
            return RestoredTimes(shift: .zero, now: now.boot)
        }
        earlierBoots = origin.boots
        isNews = true
        let gap = gap(since: last, at: now)
        return RestoredTimes(
            shift: now.boot - last.seen - (gap ?? .days(1)), now: now.boot, isBroken: gap == nil,
            began: last.clock?.began)
    }

    /// The time since an earlier boot was last seen; nil if that is long ago or unknown.
    private func gap(since last: BootReading, at now: Instant) -> Interval? {
        guard let clock, let before = last.clock else { return nil }
        let gap = clock.time(at: now.boot).wall - before.time(at: last.seen).wall
        return gap >= .zero && gap <= rules.longestGap ? gap : nil
    }

    /// The first part of the checkpoint that a newer version of this program wrote; nil if there is none, or the bytes
    /// are no checkpoint. A session that begins anew would overwrite it.
    public static func newerPart(of checkpoint: [UInt8]) -> Parts.Newer? {
        parts(of: checkpoint)?.firstNewer(than: CheckpointPart.all)
    }

    /// The boot that wrote the checkpoint, and its time then; nil for an unreadable one.
    public static func writer(of checkpoint: [UInt8]) -> BootReading? {
        do {
            return try CheckpointOrigin(Parts(checkpoint)[CheckpointPart.origin])?.boots.last
        } catch {
            return nil
        }
    }

    private static func parts(of checkpoint: [UInt8]) -> Parts? {
        do {
            return try Parts(checkpoint)
        } catch {
            return nil
        }
    }

    /// The collected data that is not stored yet, with undecided amounts as if they counted.
    public var quarters: [Quarter] { daybook.quarters }
    /// The boots of `quarters`, in their order, as far as the store may not know them.
    public var boots: [BootReading] {
        earlierBoots + [BootReading(id: daybook.boot, seen: BootTime(nanoseconds: 0), clock: clock)]
    }
}

/// The boots and clocks to which the times of a checkpoint refer.
private struct CheckpointOrigin {
    /// The boots that the store may not know completely, in their order; the last one wrote the checkpoint.
    var boots: [BootReading]
    var settledDay: UTCDay?

    func pack(into packer: inout Packer) {
        packer.put(UInt8(clamping: boots.count))
        for boot in boots.suffix(Int(UInt8.max)) {
            boot.id.pack(into: &packer)
            packer.put(boot.seen)
            packer.put(boot.clock != nil)
            boot.clock?.pack(into: &packer)
        }
        packer.put(settledDay != nil)
        if let settledDay { packer.put(settledDay.daysSinceEpoch) }
    }

    init(boots: [BootReading], settledDay: UTCDay?) {
        self.boots = boots
        self.settledDay = settledDay
    }

    /// Nil without a part.
    init?(_ part: Parts.Part?) throws(Unpacker.Malformed) {
        guard var unpacker = part?.unpacker else { return nil }
        boots = []
        for _ in 0..<(try unpacker.take(UInt8.self)) {
            let id = try BootID(from: &unpacker)
            let seen = try unpacker.takeBootTime()
            boots.append(
                BootReading(id: id, seen: seen, clock: try unpacker.takeBool() ? TrustedClock(from: &unpacker) : nil))
        }
        if try unpacker.takeBool() { settledDay = try unpacker.takeDay() }
        guard unpacker.isAtEnd else { throw Unpacker.Malformed() }
    }
}
