import Config
import Domains
import System
import Store
import Devices
import Core
import Signal

/// Runs a `SensingSession` on devices and a store: carries out its actions and reports the results.
///
/// The owner of the service has the clock and waits: it calls `handle` at the times of the agenda. No fault of a device
/// or of the store ends the service; it continues with the working parts.
public final class SensingService {
    /// The cause of a wake-up.
    public enum WakeCause: Hashable, Sendable {
        case timer
        case source(SourceKind)
    }

    public internal(set) var session: SensingSession
    /// The pulse line while it is open, for its file descriptor.
    public internal(set) var pulseLine: (any PulseLine)?
    /// The folder for the phone's reports while it is open, to be watched.
    public internal(set) var inbox: (any ReportInbox)?
    /// The connection to gpsd while it is open, to be watched.
    public internal(set) var positions: (any PositionSource)?
    var sensor: (any Accelerometer)?
    /// Empty without a gauge.
    var gauges: [(id: GaugeID, gauge: any Gauge, unready: Int)] = []
    var oximeter: (any PulseOximeter)?
    /// The samples of the current window, and those drained after it.
    var assembler = WindowAssembler(period: Sampling.wholeWindow.period)
    /// Whether the open sensor has shown the right scale.
    var isScaleRight = false
    let devices: any SensingDevices
    private let store: any SensingStore
    let note: (SensingNote) -> Void
    private let signal: () -> Void
    /// Collected data and raised events that no commit has written yet.
    private var unsaved = Batch(checkpoint: [])
    /// The last reported counts of quarters that are in no record.
    private var told = UndatedCounts()
    private var storeIsFailing = false
    /// Whether something was sensed since the state was last committed or remembered.
    var hasNews = false
    /// Whether the chip could not be put to sleep or to rest, even with a retry, the last time.
    var sleepIsFailing = false
    private var losses: [DeviceLoss] = []

    /// `boot` is the boot in which the service lives. `note` takes notes for the log. `signal` wakes the sender, after
    /// an event was stored.
    public init(
        rules: SensingRules, devices: any SensingDevices, store: any SensingStore, boot: BootID = .unknown,
        note: @escaping (SensingNote) -> Void, signal: @escaping () -> Void
    ) {
        session = SensingSession(rules: rules, stepSource: devices.hasPulseLine ? .pulses : .imu, boot: boot)
        self.devices = devices
        self.store = store
        self.note = note
        self.signal = signal
    }

    public func agenda(at now: Instant) -> SensingAgenda { session.agenda(at: now) }

    /// Takes the store's knowledge of this boot's clock. Call it before anything else.
    public func begin(_ known: TrustedClock?, at now: Instant) { session.begin(known, at: now) }

    /// Takes newer knowledge of this boot's clock, which another process stored.
    public func follow(_ known: TrustedClock, at now: Instant) { deliver(.clockKnown(known), at: now) }

    /// Restores the state of an earlier run. An unreadable checkpoint is noted and dropped.
    public func restore(_ checkpoint: [UInt8], at now: Instant) {
        do {
            try session.restore(checkpoint, at: now)
        } catch {
            note(.checkpointUnreadable)
        }
    }

    /// Opens the devices of allowed domains and closes the others, at start and after every change. Earlier data that
    /// must not be kept is dropped, even if it is not stored yet.
    public func allow(_ order: CollectionOrder, at now: Instant) {
        unsaved.keep(domainsWhere: order.keeps)
        deliver(.ordered(order), at: now)
        readRows(at: now)
    }

    /// Reads the rows that commands of the wearer change. Call it when a command may have changed one.
    public func readRows(at now: Instant) {
        for book in Book.all where book.informsCollector && session.allowed.allows(book.domain) {
            if let row = store.row(of: book.row) { deliver(.row(row), at: now) }
        }
    }

    /// The devices lost since the last call, for the consent keeper; each is already closed. Call it after every call
    /// that may have used a device.
    public func takeLosses() -> [DeviceLoss] {
        defer { losses = [] }
        return losses
    }

    public func handle(_ cause: WakeCause, at now: Instant) {
        switch cause {
        case .timer: deliver(.woke, at: now)
        case .source(let kind): deliver(.waiting(kind), at: now)
        }
        remember(at: now)
    }

    /// Keeps the state for a start after this process was killed, or notes that a kill would lose uncommitted data.
    private func remember(at now: Instant) {
        guard unsaved.isStateAlone else {
            return store.remember(
                [], consentRevision: session.consentRevision, at: now.boot, losing: uncommittedDomains)
        }
        guard hasNews, session.order != nil else { return }
        hasNews = false
        var checkpoint = session.checkpoint(at: now)
        store.remember(
            checkpoint, consentRevision: session.consentRevision, at: now.boot, losing: uncommittedDomains)
        Vault.wipe(&checkpoint)
    }

    /// The domains with nonzero data since the last commit, except reports, which stay in their folder.
    private var uncommittedDomains: DomainSet {
        var domains = DomainSet()
        for quarter in unsaved.collected.quarters + session.quarters {
            for amount in quarter.amounts where amount.value != 0 {
                if let figure = Figure(id: amount.figure) { domains.insert(figure.domain) }
            }
        }
        // Minutes of sleep are added later, but come from data of this time.
        let sensed = session.served(by: .imu)
        if !domains.isDisjoint(with: sensed) { domains.formUnion(sensed) }
        return domains.subtracting(session.source(.reports).domains)
    }

    /// Takes the last pulses, stores everything and closes the devices. Consent is unchanged.
    public func stop(at now: Instant) {
        closeDown(at: now)
        guard storeIsFailing else { return }
        note(.stoppedUnsaved)
        remember(at: now)
    }

    /// The latest sleeps; one that has not ended counts as over.
    public func finishSleeps(at now: Instant) -> [Sleep] {
        session.finish(at: now)
        return session.sleeps
    }

    private func closeDown(at now: Instant) {
        // Before the first order nothing was opened, and the stored revision is right.
        guard session.order != nil else { return }
        if pulseLine != nil, let answer = perform(.drainPulses, at: now) { deliver(answer, at: now) }
        _ = perform(.commit, at: now)
        for action in session.darken() { _ = perform(action, at: now) }
        for source in session.sources { close(source.kind) }
    }

    /// Stops, and passes the state and all uncommitted data to `successor`, which must have no devices open and gets
    /// its own order.
    public func handOver(to successor: SensingService, at now: Instant) {
        closeDown(at: now)
        successor.begin(session.clock, at: now)
        var checkpoint = session.checkpoint(at: now)
        successor.restore(checkpoint, at: now)
        Vault.wipe(&checkpoint)
        successor.unsaved = unsaved
        successor.told = told
        successor.storeIsFailing = storeIsFailing
        if storeIsFailing { successor.deliver(.commitFailed, at: now) }
    }

    private func deliver(_ event: SensingEvent, at now: Instant) {
        var events = [event]
        while !events.isEmpty {
            for action in session.handle(events.removeFirst(), at: now) {
                if let answer = perform(action, at: now) { events.append(answer) }
            }
        }
    }

    private func perform(_ action: SensingAction, at now: Instant) -> SensingEvent? {
        switch action {
        case .open(let kind): return open(kind)
        case .close(let kind): close(kind)
        case .startWindow: return startWindow()
        case .readWindow: return readWindow()
        case .sampleSlowly: return sampleSlowly()
        case .readSamples: return readSamples()
        case .countSteps: return countSteps()
        case .askForMotion: return askForMotion()
        case .restSensor: restSensor()
        case .abandonWindow(let reason):
            return giveUpWindow(DeviceFault(.passing, reason: "\(sensorPlace): \(reason)"))
        case .drainPulses: return drainPulses(at: now)
        case .readReports: return readReports(at: now)
        case .readPositions: return readPositions(at: now)
        case .measure(let id): return measure(id)
        case .readGauge(let id): return readGauge(id)
        case .light(let isOn): return light(isOn)
        case .readLight: return readLight()
        case .store(let collected): unsaved.collected.add(collected)
        case .raise(let event): unsaved.events.append(event)
        case .keep(let note): unsaved.notes.append(note)
        case .commit: return commit(at: now)
        case .lose(let loss): losses.append(loss)
        case .note(let text): note(text)
        }
        return nil
    }
}

// MARK: - The sources

extension SensingService {
    private func open(_ kind: SourceKind) -> SensingEvent {
        switch kind {
        case .imu: openSensor()
        case .pulses:
            attempt(kind) { () throws(BusError) in
                let line = try devices.openPulseLine()
                pulseLine = line
                return .lineOpened(kernelBuffer: line.kernelBuffer)
            }
        case .reports:
            attempt(kind) { () throws(InboxError) in
                inbox = try devices.openInbox()
                return .opened(kind)
            }
        case .positions:
            attempt(kind) { () throws(PositionError) in
                positions = try devices.openPositions()
                return .opened(kind)
            }
        case .oximeter: openOximeter()
        case .gauge(let id): openGauge(id)
        }
    }

    private func close(_ kind: SourceKind) {
        switch kind {
        case .imu: closeSensor()
        case .pulses:
            pulseLine = nil
            devices.closePulseLine()
        case .reports: inbox = nil
        case .positions:
            positions = nil
            devices.closePositions()
        case .oximeter: closeOximeter()
        case .gauge(let id): closeGauge(id)
        }
    }
}

// MARK: - The store

extension SensingService {
    private func commit(at now: Instant) -> SensingEvent? {
        unsaved.checkpoint = session.checkpoint(at: now)
        defer { Vault.wipe(&unsaved.checkpoint) }
        unsaved.consentRevision = session.consentRevision
        unsaved.wall = now.wall
        unsaved.present = session.reading(at: now)
        do {
            let settlement = try store.commit(unsaved)
            hasNews = false
            if storeIsFailing { note(.storeRecovered) }
            storeIsFailing = false
            let hasEvents = !unsaved.events.isEmpty || settlement.datedEvents > 0
            Vault.wipe(&unsaved.checkpoint)
            unsaved = Batch(checkpoint: [])
            if hasEvents { signal() }
            tell(settlement)
            return removeReadReports()
        } catch {
            if !storeIsFailing { note(.storeFailed(reason: "\(error)")) }
            storeIsFailing = true  // Days and events wait in `unsaved` for the next commit.
            return .commitFailed
        }
    }
}

extension SensingService {
    private func tell(_ settlement: Settlement) {
        for day in settlement.closedDays where settlement.incompleteDays[day] == nil { note(.dayClosed(day)) }
        for (day, domains) in settlement.incompleteDays.sorted(by: { $0.key < $1.key }) {
            note(.dayIncomplete(day, domains))
        }
        if settlement.strangers > 0 { note(.recordsChanged(settlement.strangers)) }
        if settlement.expired > 0 { note(.expired(settlement.expired)) }
        guard let counts = settlement.counts else { return }
        if counts.late > told.late { note(.cameLate(counts.late - told.late)) }
        if counts.undated > told.undated { note(.undated(counts.undated - told.undated)) }
        told = counts
    }
}

extension SensingService {
    /// The service of real devices: with the rules of the config, the journal for notes and the uploader's wake file.
    public convenience init(
        settings: Settings, devices: any SensingDevices, store: any SensingStore, boot: BootID, journal: Journal
    ) {
        var sensed: () -> [Domain] = { [] }
        self.init(
            rules: SensingRules(settings), devices: devices, store: store, boot: boot,
            note: { journal.log($0, sensed: sensed()) },
            signal: { journal.signal(.upload(in: settings.wakeFileDirectory)) })
        sensed = { [unowned self] in session.sensedDomains }
    }
}
