import Config
import Store
import Core

/// The reasons why undelivered records wait, as far as they are known without asking the server.
public struct QueueOutlook {
    /// The reason for a wait, for people, and its end if known.
    public struct Wait: Equatable, Sendable {
        public let reason: String
        public let until: WallTime?

        public init(_ reason: String, until: WallTime? = nil) {
            self.reason = reason
            self.until = until
        }
    }

    private let settings: Settings
    private let schedule: DeliverySchedule
    private let battery: Battery
    private let status: DeliveryStatus
    private let mayBeSent: Bool
    /// Nil while the date is unknown.
    private let now: TrustedTime?

    /// - Parameter mayBeSent: whether the consent trail is intact.
    public init(_ settings: Settings, _ status: DeliveryStatus, mayBeSent: Bool, at now: TrustedTime?) {
        self.settings = settings
        self.status = status
        self.mayBeSent = mayBeSent
        self.now = now
        schedule = DeliverySchedule(settings.delivery, deviceHash: UploadRun.deviceHash())
        battery = Battery(settings)
    }

    /// The common wait of all records; nil if each has its own.
    public var common: Wait? {
        guard mayBeSent else { return Wait("consent, as its trail is broken: sudo anicca audit --verify") }
        return commonToAnyConsent
    }

    /// The same without the check of consent.
    private var commonToAnyConsent: Wait? {
        guard !named.isEmpty else { return Wait("a server: base-url in [server]") }
        guard let now else { return Wait("a synchronised clock: sudo anicca doctor") }
        if named.allSatisfy({ standing(of: $0)?.log.isPaused ?? false }), let kind = named.first { return paused(kind) }
        let backoff = Backoff(settings.delivery)
        if named.count == 1, let began = status.lastRunBegan,
            let next = backoff.nextRun(afterSilentRuns: status.unfinishedRuns, lastBegan: began),
            backoff.holds(next, at: now)
        {
            return Wait("the next run, because \(status.unfinishedRuns) runs did not finish", until: next)
        }
        return named.count == 1 ? named.first.flatMap { held($0, at: now) } : nil
    }

    /// The configured sinks.
    private var named: [SinkKind] { SinkKind.named(in: settings) }

    private func standing(of kind: SinkKind) -> SinkStatus? { status.sinks.first { $0.sink == kind.id } }

    private func paused(_ kind: SinkKind) -> Wait {
        let words = kind.words
        return Wait("another \(words.credentials), as the \(words.receiver) refused this one: \(words.signInPlace)")
    }

    private func held(_ kind: SinkKind, at now: TrustedTime) -> Wait? {
        standing(of: kind)?.log.hold.flatMap { wait(for: kind, $0, at: now) }
    }

    private func wait(for kind: SinkKind, _ hold: Hold, at now: TrustedTime) -> Wait? {
        guard Backoff(settings.delivery).holds(hold.until, at: now) else { return nil }
        if hold.reason.endsWithAnyRun { return Wait("a network", until: hold.until) }
        return Wait("the \(kind.words.receiver): \(hold.reason.text(kind.words))", until: hold.until)
    }

    /// The time of the next delivery: of the first waiting record or, without any, of today's record.
    public func next(of items: [OutboxRecord]) -> Wait {
        if let common { return common }
        guard let now else { return Wait("a synchronised clock") }
        let waits = items.filter { !isSetAside($0) }.map(wait)
        if let due = waits.first(where: { $0.until == nil }) { return due }
        let times = waits.compactMap { wait in wait.until.map { (wait, $0) } }
        return times.min { $0.1 < $1.1 }?.0 ?? Wait("the end of today", until: schedule.dueTime(of: now.day))
    }

    private func isSetAside(_ item: OutboxRecord) -> Bool {
        item.isSetAside || item.deliveries.values.contains(where: \.isSetAside)
    }

    public func wait(of item: OutboxRecord) -> Wait {
        if isSetAside(item) {
            let error = item.deliveries.values.compactMap(\.error).first ?? "refused"
            return Wait("your action: \(error); to retry, run: sudo anicca queue retry \(item.id)")
        }
        var needsConsent = true
        if case .erasure = item.content { needsConsent = false }
        if let common = needsConsent ? common : commonToAnyConsent { return common }
        guard let now else { return Wait("a synchronised clock") }
        if case .day(let day, _) = item.content {
            guard schedule.isDue(day, at: now) else { return Wait("its hour", until: schedule.dueTime(of: day)) }
            if battery.isLow { return Wait("the battery, which is low (\(battery))") }
        }
        let waiting = named.filter { !(item.deliveries[$0.id]?.isSettled ?? false) }
        guard named.count > 1 else { return wait(of: item, for: waiting.first, at: now) }
        // The remaining sinks among several.
        let waits = waiting.map { kind in
            let wait = wait(of: item, for: kind, at: now)
            return Wait("\(wait.reason) (\(kind.name))", until: wait.until)
        }
        return waits.first { $0.until == nil } ?? waits.min { ($0.until ?? now.wall) < ($1.until ?? now.wall) }
            ?? Wait("the next run")
    }

    private func wait(of item: OutboxRecord, for kind: SinkKind?, at now: TrustedTime) -> Wait {
        if named.count > 1, let kind {
            if standing(of: kind)?.log.isPaused ?? false { return paused(kind) }
            if let held = held(kind, at: now) { return held }
        }
        if let kind, let standing = standing(of: kind) {
            guard standing.ownership.has(item.content) else {
                return Wait(
                    "your action: it belongs to another account; if that was yours, run: "
                        + "sudo anicca queue retry --same-person")
            }
            if let hold = standing.log.kindHolds[item.content.kind], let wait = wait(for: kind, hold, at: now) {
                return wait
            }
        }
        let notBefore = kind.flatMap { item.deliveries[$0.id]?.notBefore }
        guard let notBefore, Backoff(settings.delivery).holds(notBefore, at: now) else { return Wait("the next run") }
        return Wait("another attempt", until: notBefore)
    }
}
