import Domains
import Core

/// A span of time with possibly lost data. The figures of its domains are never sent for a day that it touches.
struct StoreGap: Equatable, Sendable {
    /// The latest moment known to be stored; nil if unknown: the gap then reaches back to the last final day.
    var from: Moment?
    /// The first moment stored after the loss was found; nil until then.
    var until: Moment?
    /// Everything if unknown.
    var domains = DomainSet.everything

    /// The most gaps that are kept; a store that loses more sends nothing for other reasons.
    static let most = 8

    struct Moment: Equatable, Sendable {
        let boot: BootID
        let at: BootTime

        func pack(into packer: inout Packer) {
            packer.put(boot.high)
            packer.put(boot.low)
            packer.put(at.nanoseconds)
        }

        init(boot: BootID, at: BootTime) {
            self.boot = boot
            self.at = at
        }

        init(from unpacker: inout Unpacker) throws(Unpacker.Malformed) {
            boot = BootID(high: try unpacker.take(), low: try unpacker.take())
            at = BootTime(nanoseconds: try unpacker.take())
        }
    }

    /// The days that it touches, by the known boot times; if these leave a choice, rather more than fewer.
    ///
    /// - Parameter reach: `Domain.reach`.
    func days(in history: BootHistory, reach: Interval = .zero) -> ClosedRange<UTCDay> {
        let first = from.flatMap { Self.wall($0, history, latest: false) }.map { UTCDay(containing: $0) }
        let last = until.flatMap { Self.wall($0, history, latest: true) }
            .map { UTCDay(containing: $0 - Interval(nanoseconds: 1) + reach) }
        let least = first ?? UTCDay(daysSinceEpoch: 0)
        return least...max(least, last ?? UTCDay(daysSinceEpoch: 100_000))
    }

    /// The time of the moment; for a boot without a date, the known time before or after it.
    private static func wall(_ moment: Moment, _ history: BootHistory, latest: Bool) -> WallTime? {
        guard let index = history.boots.firstIndex(where: { $0.id == moment.boot }) else { return nil }
        if let clock = history.clock(ofBoot: index) { return clock.time(at: moment.at).wall }
        if latest {
            for later in history.boots.indices where later > index {
                if let clock = history.clock(ofBoot: later) { return clock.began }
            }
        } else {
            for earlier in history.boots.indices.reversed() where earlier < index {
                if let clock = history.clock(ofBoot: earlier) {
                    return clock.time(at: history.boots[earlier].log.seen).wall
                }
            }
        }
        return nil
    }

    /// Writes all but its domains.
    func pack(into packer: inout Packer) {
        let unknown = Moment(boot: .unknown, at: BootTime(nanoseconds: .min))
        for moment in [from ?? unknown, until ?? unknown] { moment.pack(into: &packer) }
    }

    init(from moment: Moment?, of domains: DomainSet = .everything) {
        from = moment
        self.domains = domains
    }

    init(from unpacker: inout Unpacker) throws(Unpacker.Malformed) {
        from = try Self.takeMoment(&unpacker)
        until = try Self.takeMoment(&unpacker)
    }

    private static func takeMoment(_ unpacker: inout Unpacker) throws(Unpacker.Malformed) -> Moment? {
        let moment = try Moment(from: &unpacker)
        return moment.at.nanoseconds == .min ? nil : moment
    }
}
