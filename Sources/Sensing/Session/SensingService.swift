import Config
import Domains
import System
import Store
import Devices
import Core
import Signal

/// Runs a `SensingSession` on devices and a store: carries out its actions and reports the results.
///
/// The service's owner has the clock and waits: it calls `handle` at the times of the agenda. No fault of a device or
/// of the store ends the service; it goes on with the working parts.
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
    /// The connection to gpsd while it is held, to be watched.
    public internal(set) var positions: (any PositionSource)?
    var sensor: (any Accelerometer)?
    /// The samples of the window under way, and those drained after it.
    var assembler = WindowAssembler(period: Sampling.wholeWindow.period)
    /// Whether the open sensor has shown that 1 g is 1 g on it.
    var isScaleRight = false
    let devices: any SensingDevices
    private let store: any SensingStore
    let note: (SensingNote) -> Void
    private let signal: () -> Void
    /// What was collected and raised, and no commit has written yet.
    private var unsaved = Batch(checkpoint: [])
    /// What was last told of quarters that are in no record.
    private var told = UndatedCounts()
    private var storeIsFailing = false
    /// Whether something was sensed since the state was committed or remembered.
    var hasNews = false
    /// Whether the chip could not be put to sleep, and nothing has worked since.
    var sleepIsFailing = false
    private var losses: [DeviceLoss] = []

    /// - Parameters:
    ///   - boot: That in which the service lives.
    ///   - note: Takes notes for the log.
    ///   - signal: Wakes the sender; called after an event was written down.
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

    /// Takes what the store knows of this boot's clock. To be called before anything else.
    public func begin(_ known: TrustedClock?, at now: Instant) { session.begin(known, at: now) }

    /// Takes what somebody told the store about this boot's clock since.
    public func follow(_ known: TrustedClock, at now: Instant) { deliver(.clockKnown(known), at: now) }

    /// Restores the state of an earlier run; an unreadable checkpoint is noted and dropped.
    public func restore(_ checkpoint: [UInt8], at now: Instant) {
        do {
            try session.restore(checkpoint, at: now)
        } catch {
            note(.checkpointUnreadable)
        }
    }

    /// Opens the devices of allowed domains and closes the others, at start and after every change. Earlier data that
    /// may not be kept is dropped, also from the data that is not stored yet.
    public func allow(_ order: CollectionOrder, at now: Instant) {
        unsaved.keep(domainsWhere: order.keeps)
        deliver(.ordered(order), at: now)
    }

    /// The devices lost since the last call, for the consent keeper; each is closed already. Call it after every call
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

    /// Keeps the state for a start after this process was killed; or that there is more, which would be lost.
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

    /// Those that have collected more than nothing since the last commit. A report stays in its folder until then.
    private var uncommittedDomains: DomainSet {
        var domains = DomainSet()
        for quarter in unsaved.collected.quarters + session.quarters {
            for amount in quarter.amounts where amount.value != 0 {
                if let figure = Figure(id: amount.figure) { domains.insert(figure.domain) }
            }
        }
        // Sleep is made of what others notice now, and has its minutes later.
        let sensed = session.served(by: .imu)
        if !domains.isDisjoint(with: sensed) { domains.formUnion(sensed) }
        return domains.subtracting(session.source(.reports).domains)
    }

    /// Takes the last pulses, stores everything and closes the devices. The wearer's consent is unchanged.
    public func stop(at now: Instant) {
        closeDown(at: now)
        guard storeIsFailing else { return }
        note(.stoppedUnsaved)
        remember(at: now)
    }

    /// The sleeps so far, of which the last is taken for over.
    public func finishSleeps(at now: Instant) -> [Sleep] {
        session.finish(at: now)
        return session.sleeps
    }

    private func closeDown(at now: Instant) {
        // Nothing was opened before the first order, and the stored revision stands.
        guard session.order != nil else { return }
        if pulseLine != nil, let answer = perform(.drainPulses, at: now) { deliver(answer, at: now) }
        _ = perform(.commit, at: now)
        for kind in SourceKind.allCases { close(kind) }
    }

    /// Stops, and passes the state and all uncommitted data to `successor`, which has no devices open and gets an order
    /// of its own.
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
        case .askForMotion: return askForMotion()
        case .restSensor: restSensor()
        case .abandonWindow(let reason):
            return giveUpWindow(DeviceFault(.passing, reason: "\(sensorPlace): \(reason)"))
        case .drainPulses: return drainPulses(at: now)
        case .readReports: return readReports(at: now)
        case .readPositions: return readPositions(at: now)
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
    /// The service of a real device: with the rules of the config, the journal for notes and the uploader's wake file.
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
