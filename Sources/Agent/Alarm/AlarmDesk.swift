import Config
import Sensing
import Domains
import System
import Store
import Devices
import Core

/// Plays the wearer's alarms, and the nudges of servers, while the domain is collected.
///
/// What is to be played is decided by the books of the store, which are written before anything is heard: a program that is killed
/// plays nothing twice that had ended. Where the store cannot be written an alarm is played all the same.
final class AlarmDesk {
    let loop: any EventLoop
    let boot: BootID
    let journal: Journal
    let store: LedgerStore
    let settings: AlarmSettings
    let devices: any DaemonDevices
    let player: PatternPlayer
    /// As the store has it, or should.
    var book = AlarmBook()
    var nudges = NudgeBook()
    private var orders = Orders.none
    var isAllowed: Bool { orders == .collect }
    /// The domain's times before it are none of its own.
    private var since = WallTime(nanoseconds: 0)
    private var isRead = false
    /// Due when the books, which could not be read, are read again at the latest.
    private var rereading = Retry(DoublingWait(first: .minutes(1), longest: .minutes(1)))
    private var isLooking = false
    private var losses: [DeviceLoss] = []
    private var life = AlarmDesk.newLife
    private var timer: (any EventTimer)?
    private var clockWatch: (any EventSource)?
    private var zoneWatch: (any EventSource)?
    var button: SnoozeButton?
    /// Whether the journal has a line that the button is unusable: one line, not one for each attempt.
    var hasToldOfButton = false
    /// Called when something may have changed what is due; has to call `look`.
    var onWake: () -> Void = {}

    /// What the last order said.
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

    /// Follows what the wearer allows: takes the line, or ends what is played and releases it.
    func follow(_ order: CollectionOrder, at now: Instant) {
        let isWanted = order.domains.allows(.alarm)
        isRead = false
        if orders == .none, !isWanted { switchOffWhatAKillLeftOn(at: now) }
        let wasAllowed = isAllowed
        orders = isWanted ? .collect : .rest
        guard isWanted != wasAllowed else { return }
        guard !isWanted else { return take(.wanted(true), at: now) }
        release()
        // A device that is away ends nothing that the wearer did not end.
        if !order.suspended.allows(.alarm) { change { [boot] in _ = $0.stop(in: boot) } }
    }

    /// Ends what is played, and releases everything. What has follow-ups goes on with another desk.
    func release() {
        player.release()
        (button, timer, clockWatch, zoneWatch) = (nil, nil, nil, nil)
        if isAllowed { orders = .rest }
        life = Self.newLife
        isRead = false
    }

    /// The books may be others now.
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

    /// The line cannot be taken or switched: a lasting reason is for the keeper of consent, a passing one is tried again.
    private func take(_ event: SourceLife.Event, at now: Instant) {
        for step in life.handle(event, at: now.boot) {
            switch step {
            case .open: open(at: now)
            case .close: player.release()
            case .failed(let reason, let wait):
                journal.log(
                    .notice, .lineFailed, domain: .alarm,
                    "alarms go quiet: \(reason); trying again in \(wait.inSeconds) s")
            case .gaveUp: break
            case .recovered: journal.log(.notice, .lineRecovered, domain: .alarm, "\(devices.outputPlace) is ours")
            case .lost(let obstacle, let reason):
                losses.append(DeviceLoss(domain: .alarm, obstacle: obstacle, reason: reason))
            }
        }
    }
}

// MARK: - Looking

extension AlarmDesk {
    /// Plays what is due, and waits for what comes next.
    ///
    /// - Parameters:
    ///   - clock: that of the session.
    ///   - stirredAt: when the wearer last stirred.
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

    /// Reads the books, where they may have changed; where that fails, again with the next wake-up. Returns whether they were read.
    private func read(at moment: AlarmMoment) -> Bool {
        guard !isRead else { return false }
        do throws(LedgerError) {
            since = try store.ledger.consent().toggledAt(.alarm) ?? moment.wall
            book = try store.ledger.book()
            nudges = try store.ledger.book()
            if rereading.due != nil { journal.log(.notice, .storeRecovered, "alarms and nudges were read again") }
        } catch .unreadable(let path, let row) {
            // It opens no other time either: who changes it next makes it good.
            let error = LedgerError.unreadable(path: path, row: row)
            journal.log(.error, .storeFailed, "\(error); alarms go on as they were known")
        } catch {
            if rereading.due == nil {
                journal.log(
                    .error, .storeFailed, "\(error); alarms go on as they were known, and are read again every minute")
            }
            rereading.failed(at: moment.now)
            return false
        }
        isRead = true
        rereading.succeeded()
        stopWhatDoesNotRing()
        return true
    }

    /// A book that was changed elsewhere ends alarms, and so does a kind that is off once that has settled.
    private func stopWhatDoesNotRing() {
        player.stop { cause in
            guard case .alarm(let id) = cause else { return false }
            return !book.isPlaying(id)
        }
    }

    /// The decision is stored before anything is heard. Nothing is written where there is nothing to decide.
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
                    .warning, .alarmMissed, domain: .alarm, "alarm \(id) (\(kind)) cannot be played: its line is away",
                    fields)
                return change { $0.ended(id, failed: true) }
            }
            let level: JournalPriority = outcome == .playedByUntrustedClock ? .warning : .info
            journal.log(level, .alarmPlayed, domain: .alarm, "alarm \(id) (\(kind)) \(outcome.text)", fields)
            player.play(kind.pattern, for: .alarm(id))
        case .missed(let id, let kind, let times):
            journal.log(
                .warning, .alarmMissed, domain: .alarm,
                "alarm \(id) (\(kind)) was missed\(times > 1 ? " \(times) times" : ""): the device was off or its line away",
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

    /// Changes the book in the store, or at least as it is known here. Returns what the change does.
    ///
    /// - Parameter words: what follows where the store cannot be written.
    @discardableResult func change<Result>(
        orElse words: String = "alarms go on as they are known", _ change: (inout AlarmBook) -> Result
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
    /// Tells where a change of the books finds that rows were changed outside the program.
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

    /// While there are alarms, a clock or a zone that is set moves them; while one rings, the button counts.
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
            return nil  // The next wake-up for anything else looks too.
        }
    }
}

extension AlarmEntry.Outcome {
    /// For the log, after the alarm.
    fileprivate var text: String {
        switch self {
        case .playedByUntrustedClock: "is played by a clock that nobody vouches for"
        case .playedEarly: "is played early, as the wearer stirs"
        default: "is played"
        }
    }
}
