import Config
import Ledger
import Quantities
import Schedule
import Sinks
import Timekeeping

/// What undelivered records wait for, as far as it can be told without asking the server.
public struct QueueOutlook {
    /// What a record waits for, for people, and until when where that is known.
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
    /// Nil while nobody knows what the date is.
    private let now: TrustedTime?

    /// - Parameter mayBeSent: the consent trail is whole.
    public init(_ settings: Settings, _ status: DeliveryStatus, mayBeSent: Bool, at now: TrustedTime?) {
        self.settings = settings
        self.status = status
        self.mayBeSent = mayBeSent
        self.now = now
        schedule = DeliverySchedule(settings.delivery, deviceHash: UploadRun.deviceHash())
        battery = Battery(settings)
    }

    /// What all records wait for; nil where each waits for itself.
    public var common: Wait? {
        guard mayBeSent else { return Wait("consent, as its trail is broken: sudo anicca audit --verify") }
        return commonToAnyConsent
    }

    /// Consent left out.
    private var commonToAnyConsent: Wait? {
        guard settings.server.baseURL != nil else { return Wait("a server: base-url in [server]") }
        guard let now else { return Wait("a right clock: sudo anicca doctor") }
        if status.isPaused { return Wait("another token, as the server refused this one: sudo anicca sign-in") }
        let backoff = Backoff(settings.delivery)
        if let began = status.lastRunBegan,
            let next = backoff.nextRun(afterSilentRuns: status.unfinishedRuns, lastBegan: began),
            backoff.holds(next, at: now)
        {
            return Wait("the next run, as \(status.unfinishedRuns) runs never reported an end", until: next)
        }
        guard status.sinks.count <= 1, let hold = status.sinks.first?.hold, backoff.holds(hold.until, at: now) else {
            return nil
        }
        if hold.reason.endsWithAnyRun { return Wait("a network", until: hold.until) }
        return Wait("the server: \(hold.reason)", until: hold.until)
    }

    /// When the next record is to be sent: the soonest of those that wait or, without any, that of today.
    public func next(of items: [QueueItem]) -> Wait {
        if let common { return common }
        guard let now else { return Wait("a right clock") }
        let waits = items.filter { !isSetAside($0) }.map(wait)
        if let due = waits.first(where: { $0.until == nil }) { return due }
        let times = waits.compactMap { wait in wait.until.map { (wait, $0) } }
        return times.min { $0.1 < $1.1 }?.0 ?? Wait("the end of today", until: schedule.dueTime(of: now.day))
    }

    private func isSetAside(_ item: QueueItem) -> Bool {
        item.isSetAside || item.deliveries.values.contains(where: \.isSetAside)
    }

    public func wait(of item: QueueItem) -> Wait {
        if isSetAside(item) {
            let error = item.deliveries.values.compactMap(\.error).first ?? "refused"
            return Wait("you: \(error); try it once more with: sudo anicca queue retry \(item.id)")
        }
        var needsConsent = true
        if case .erasure = item.content { needsConsent = false }
        if let common = needsConsent ? common : commonToAnyConsent { return common }
        guard let now else { return Wait("a right clock") }
        if case .day(let day, _) = item.content {
            guard schedule.isDue(day, at: now) else { return Wait("its hour", until: schedule.dueTime(of: day)) }
            if battery.isLow { return Wait("the battery, which is low (\(battery))") }
        }
        let backoff = Backoff(settings.delivery)
        let latest = item.deliveries.values.filter { !$0.isSettled }.compactMap(\.notBefore).max()
        guard let latest, backoff.holds(latest, at: now) else { return Wait("the next run") }
        return Wait("another attempt", until: latest)
    }
}
