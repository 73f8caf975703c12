import Config
import Sensing
import Domains
import System
import Store
import Devices
import Core

/// Plays the wearer's alarms, and the nudges of servers, while the domain is collected.
///
/// The store's books decide, and are written before anything is heard: a killed program repeats nothing that had ended.
/// If the store cannot be written, an alarm is played nevertheless.
final class AlarmDesk {
    let loop: any EventLoop
    let boot: BootID
    let journal: Journal
    let store: LedgerStore
    let settings: AlarmSettings
    let devices: any DaemonDevices
    let player: PatternPlayer
    /// As it is, or should be, in the store.
    var book = AlarmBook()
    var nudges = NudgeBook()
    private var orders = Orders.none
    var isAllowed: Bool { orders == .collect }
    /// Earlier alarm times do not count, because the domain was off.
    private var since = WallTime(nanoseconds: 0)
    private var isRead = false
    /// After a failure to read the books: the latest time to read them again.
    private var rereading = Retry(DoublingWait(first: .minutes(1), longest: .minutes(1)))
    private var isLooking = false
    private var losses: [DeviceLoss] = []
    private var life = AlarmDesk.newLife
    private var timer: (any EventTimer)?
    private var clockWatch: (any EventSource)?
    private var zoneWatch: (any EventSource)?
    var button: SnoozeButton?
    /// Whether the journal has a line about the unusable button: one line, not one for each attempt.
    var hasToldOfButton = false
    /// Called when the due actions may have changed; must call `look`.
    var onWake: () -> Void = {}

    /// The content of the last order.
    private enum Orders { case none, rest, collect }

    private static let newLife = SourceLife(DoublingWait(first: .minutes(1), longest: .hours(1)))

    init(
        _ loop: any EventLoop, boot: BootID, journal: Journal, store: LedgerStore, settings: AlarmSettings,
        devices: any DaemonDevices
    ) {
        self.loop = loop
        self.boot = boot
        self.journal = journal
        self.store = store
        self.settings = settings
        self.devices = devices
        player = PatternPlayer(loop)
        player.onEnd = { [weak self] in self?.ended($0, $1) }
    }

    /// The devices lost since the last call.
    func takeLosses() -> [DeviceLoss] {
        defer { losses = [] }
        return losses
    }

    /// Follows the order: takes the line, or stops playing and releases it.
    func follow(_ order: CollectionOrder, at now: Instant) {
        let isWanted = order.domains.allows(.alarm)
        isRead = false
        if orders == .none, !isWanted { switchOffWhatAKillLeftOn(at: now) }
        let wasAllowed = isAllowed
        orders = isWanted ? .collect : .rest
        guard isWanted != wasAllowed else { return }
        guard !isWanted else { return take(.wanted(true), at: now) }
        release()
        // A missing device ends nothing that the wearer did not end.
        if !order.suspended.allows(.alarm) { change { [boot] in _ = $0.stop(in: boot) } }
    }

    /// Stops playing, and releases everything. Another desk continues alarms with follow-ups.
    func release() {
        player.release()
        (button, timer, clockWatch, zoneWatch) = (nil, nil, nil, nil)
        if isAllowed { orders = .rest }
        life = Self.newLife
        isRead = false
    }

    /// Has the books read again, because they may have changed.
    func reread() { isRead = false }

    private func open(at now: Instant) {
        do throws(BusError) {
            let line = try devices.openOutput()
            do throws(LoopError) {
                try player.take(line)
            } catch {
                line.close()
                return take(.failed(DeviceFault(.passing, reason: "\(devices.outputPlace): \(error)")), at: now)
            }
            take(.opened, at: now)
            take(.worked, at: now)
        } catch {
            take(.failed(error.fault(at: devices.outputPlace)), at: now)
        }
    }

    /// Follows the life of the line. A lasting fault goes to the consent keeper, a passing one is retried.
    private func take(_ event: SourceLife.Event, at now: Instant) {
        for step in life.handle(event, at: now.boot) {
            switch step {
            case .open: open(at: now)
            case .close: player.release()
            case .failed(let reason, let wait):
                journal.log(
                    .notice, .lineFailed, domain: .alarm,
                    "alarms cannot be played: \(reason); trying again in \(wait.inSeconds) s")
            case .gaveUp: break
            case .recovered:
                journal.log(.notice, .lineRecovered, domain: .alarm, "\(devices.outputPlace) is available again")
            case .lost(let obstacle, let reason):
                losses.append(DeviceLoss(domain: .alarm, obstacle: obstacle, reason: reason))
            }
        }
    }
}

// MARK: - Looking

extension AlarmDesk {
    /// Plays everything that is due, and waits for the next action. `clock` is that of the session; `stirredAt` is the
    /// time at which the wearer last stirred.
    func look(at now: Instant, _ clock: TrustedClock?, stirredAt: BootTime?) {
        isLooking = true
        defer { isLooking = false }
        if isAllowed { take(.wanted(true), at: now) }
        guard let moment = AlarmMoment(now, clock, boot: boot) else {
            if isAllowed { watchClock() }
            return wait(until: life.wakeAt)
        }
        let isFirst = read(at: moment) && !player.isPlaying
        lookAtNudges(at: moment)
        guard isAllowed else { return }
        let circumstances = AlarmBook.Circumstances(
            zone: devices.zone, since: since, wakeWindow: settings.wakeWindow, stirredAt: stirredAt,
            settleTime: store.ledger.settleTime)
        let acts = decide(at: moment, circumstances, isFirst: isFirst)
        stopWhatDoesNotRing()
        for act in acts { carryOut(act, at: now) }
        follow(book, at: now)
        let next = book.next(at: moment, circumstances)
        wait(until: [next, life.wakeAt, rereading.due].compactMap { $0 }.min())
    }

    /// Reads the books if they may have changed; retries at the next wake-up. Returns whether they were read.
    private func read(at moment: AlarmMoment) -> Bool {
        guard !isRead else { return false }
        do throws(LedgerError) {
            since = try store.ledger.consent().toggledAt(.alarm) ?? moment.wall
            book = try store.ledger.book()
            nudges = try store.ledger.book()
            if rereading.due != nil { journal.log(.notice, .storeRecovered, "alarms and nudges were read again") }
        } catch .unreadable(let path, let row) {
            // A retry would not open it either. The next change of the book here replaces it.
            let error = LedgerError.unreadable(path: path, row: row)
            journal.log(.error, .storeFailed, "\(error); the last known alarms stay in use")
        } catch {
            if rereading.due == nil {
                journal.log(
                    .error, .storeFailed,
                    "\(error); the last known alarms stay in use, and the store is read again every minute")
            }
            rereading.failed(at: moment.now)
            return false
        }
        isRead = true
        rereading.succeeded()
        stopWhatDoesNotRing()
        return true
    }

    /// Alarms end when another process changed the book, or when their kind was turned off and that has settled.
    private func stopWhatDoesNotRing() {
        player.stop { cause in
            guard case .alarm(let id) = cause else { return false }
            return !book.isPlaying(id)
        }
    }

    /// The decision is stored before anything is heard. Without one, nothing is written.
    private func decide(
        at moment: AlarmMoment, _ circumstances: AlarmBook.Circumstances, isFirst: Bool
    ) -> [AlarmBook.Act] {
        func decide(_ book: inout AlarmBook) -> [AlarmBook.Act] {
            (isFirst ? book.resume(at: moment, circumstances) : []) + book.act(at: moment, circumstances)
        }
        var trial = book
        let acts = decide(&trial)
        guard trial != book else { return acts }
        return change(orElse: "an alarm may be played again after a restart", decide)
    }

    private func carryOut(_ act: AlarmBook.Act, at now: Instant) {
        switch act {
        case .play(let id, let kind, let outcome):
            let fields: KeyValuePairs<StaticString, String> = ["ALARM": "\(id)", "KIND": "\(kind)"]
            guard player.hasLine else {
                journal.log(
                    .warning, .alarmMissed, domain: .alarm,
                    "alarm \(id) (\(kind)) cannot be played: its line is not available", fields)
                return change { $0.ended(id, failed: true) }
            }
            let level: JournalPriority = outcome == .playedByUntrustedClock ? .warning : .info
            journal.log(level, .alarmPlayed, domain: .alarm, "alarm \(id) (\(kind)) \(outcome.text)", fields)
            player.play(kind.pattern, for: .alarm(id))
        case .missed(let id, let kind, let times):
            journal.log(
                .warning, .alarmMissed, domain: .alarm,
                "alarm \(id) (\(kind)) was missed\(times > 1 ? " \(times) times" : ""): "
                    + "the device was off, or its line was not available",
                ["ALARM": "\(id)", "KIND": "\(kind)"])
        case .cutShort(let id, let kind):
            journal.log(
                .warning, .alarmMissed, domain: .alarm,
                "alarm \(id) (\(kind)) was cut short: the program ended meanwhile",
                ["ALARM": "\(id)", "KIND": "\(kind)"])
        }
    }

    private func ended(_ cause: PatternPlayer.Cause, _ error: BusError?) {
        switch cause {
        case .alarm(let id): change { $0.ended(id, failed: error != nil) }
        case .nudge(let record): settle(record, error == nil ? .played : .failed)
        }
        if let error { take(.failed(error.fault(at: devices.outputPlace)), at: loop.now) }
        if !isLooking { onWake() }
    }

    /// Changes the book in the store or, if that cannot be written, only here. Returns the result of the change.
    /// `words` end the log line about a store that cannot be written.
    @discardableResult func change<Result>(
        orElse words: String = "the change is only in memory", _ change: (inout AlarmBook) -> Result
    ) -> Result {
        do {
            let known = book
            let (result, stored) = try noticing { () throws(LedgerError) in
                try store.ledger.changeBook(known: known) { book in (change(&book), book) }
            }
            book = stored
            return result
        } catch {
            journal.log(.error, .storeFailed, "\(error); \(words)")
            return change(&book)
        }
    }
}

extension AlarmDesk {
    /// Logs rows that were changed outside the program, if a change of the books finds any.
    func noticing<Result>(_ change: () throws(LedgerError) -> Result) throws(LedgerError) -> Result {
        let changes = store.ledger.changedTables.count
        defer { if store.ledger.changedTables.count > changes { store.onChangedTables() } }
        return try change()
    }
}

// MARK: - Waiting

extension AlarmDesk {
    private func wait(until time: BootTime?) {
        do {
            if timer == nil, time != nil { timer = try loop.wakingTimer { [weak self] in self?.onWake() } }
        } catch {
            journal.log(.error, .alarmMissed, domain: .alarm, "cannot wait for alarms: \(error)")
        }
        if let time { timer?.arm(at: time, slack: .milliseconds(100)) } else { timer?.disarm() }
    }

    /// While there are alarms, watches the clock and the zone, which move them; while one rings, holds the button.
    private func follow(_ book: AlarmBook, at now: Instant) {
        let hasAlarms = !book.alarms.isEmpty
        if !hasAlarms { (clockWatch, zoneWatch) = (nil, nil) }
        if hasAlarms { watchClock() }
        if hasAlarms, zoneWatch == nil, settings.timeZone == nil, let directory = devices.zoneDirectory {
            zoneWatch = source { (handler) throws(LoopError) in try loop.onChange(in: directory, handler) }
        }
        if book.isRinging { holdButton() } else { button = nil }
    }

    private func watchClock() {
        guard clockWatch == nil else { return }
        clockWatch = source { (handler) throws(LoopError) in try loop.onClockSet(handler) }
    }

    private func source(
        _ make: (@escaping () -> Void) throws(LoopError) -> any EventSource
    ) -> (any EventSource)? {
        do throws(LoopError) {
            return try make { [weak self] in self?.onWake() }
        } catch {
            return nil  // Any other wake-up also looks for due alarms.
        }
    }
}

extension AlarmEntry.Outcome {
    /// The text for the log, after the alarm's name.
    fileprivate var text: String {
        switch self {
        case .playedByUntrustedClock: "is played, but the clock is not synchronised"
        case .playedEarly: "is played early, because the wearer stirs"
        default: "is played"
        }
    }
}
