import Domains
import Core
import Store
import Devices
import Signal

/// The logic of sensing as a value: decides when to sample, judges the windows and folds the results into days.
///
/// It has no clock, no device and no file. A caller passes events and carries out the returned actions in order;
/// `agenda` has the next causes to wait for. The daemon feeds it from the kernel, a replay from a recording. The same
/// events at the same times give the same day.
public struct SensingSession: Sendable {
    let rules: SensingRules
    /// The latest order; nil before the first.
    public internal(set) var order: CollectionOrder?
    /// The ordered domains whose devices were lost since.
    var lost: DomainSet = []

    var sources: [SessionSource]
    var sensor = SensorPhase.closed
    var dutyCycle: DutyCycle
    /// The start of the first failed window since the latest good one; nil if none failed.
    var sensorQuietSince: BootTime?
    /// The number of stationary windows in a row.
    var stationaryInARow = 0
    /// The number of empty drains between windows in a row.
    var emptyDrains = 0
    /// The chip's sampling in windows, and between them.
    var sampling = Sampling.wholeWindow
    var slowSampling = Sampling.slow
    /// Whether the chip counts steps, so that its counter is read at the start and at the end of each window.
    var countsSteps = false
    /// The time that the chip needs for a window; follows the chip's oscillator.
    var fillTime: Interval
    /// The delay of a sensor's first window after its start was requested.
    var setUpTime = Interval.zero
    /// Whether the sensor can signal motion, and the time to poll it otherwise; nil if that is not needed.
    var hasInterrupt = true
    var askAt: BootTime?

    /// Nil while the line is not open.
    var drain: LineDrain?
    var drainInterval = Interval.seconds(60)
    var loss = PulseLoss()
    /// The time of the step sensor's last pulse; nil before the first since its domains were turned on.
    public internal(set) var lastPulse: BootTime?

    /// Empty in a session without a gauge.
    var gauges: [OpenGauge] = []

    /// The time of the next drain of the pulse oximeter; nil while its LEDs are off.
    var lightDue: BootTime?
    /// Whether an earlier process, or a failed transfer, may have left the LEDs on.
    var mayBeLit = false

    var inbox = InboxReading()
    var refusals = ReportRefusals()
    var receiverTime = ReceiverTime()

    var wearer: WearerState
    var daybook: Daybook
    /// By domain, the time before which nothing is observed any more; nil before the first order.
    var observedUntil = ByID<BootTime?>(usual: nil)
    /// In the order of `Domain.all`.
    var collectors: [CollectedDomain]
    /// The domains of the accelerometer, for which the wearer's rest is followed.
    let restDomains: DomainSet
    /// The latest completed sleeps, oldest first; of this process alone.
    public internal(set) var sleeps: [Sleep] = []
    /// The time at which the wearer last stirred; of this process alone.
    public internal(set) var stirredAt: BootTime?
    /// The date of this boot's time; nil while no clock is trusted.
    public internal(set) var clock: TrustedClock?
    /// The day up to which everything was stored as settled; nil before the first time.
    var settledDay: UTCDay?
    /// The latest day at whose start the collectors judged held amounts of earlier ones; of this process alone.
    var concludedDay: UTCDay?
    /// Whether the store does not know this boot, or its clock, yet.
    var isNews = true
    /// The earlier boots that the store may not know completely.
    var earlierBoots: [BootReading] = []
    /// The domains with a part in the restored checkpoint, whose collectors have its state.
    var restored: DomainSet = []
    /// The parts of the restored checkpoint that this version does not know.
    var keptParts = Parts()

    var lastCommit: BootTime?
    var unsaved = Unsaved.nothing

    /// The kind of data that is not in the last commit; more urgent kinds are greater.
    enum Unsaved: Comparable {
        case nothing
        /// Only the fact that the boot is new.
        case boot
        case stillness
        case pulses
        /// Data for the outbox, or stored data that the wearer has forbidden.
        case urgent
    }

    enum SensorPhase: Equatable {
        case closed
        case resting(nextWindow: BootTime)
        /// The FIFO is to be drained next at `drainAt`; the window is complete at `completeAt`.
        case filling(started: BootTime, drainAt: BootTime, completeAt: BootTime)
        /// The FIFO fills slowly until the next window, and is to be drained at `drainAt`.
        case slow(nextWindow: BootTime, drainAt: BootTime)
    }

    /// Steps are counted in pulses of a step sensor or, if `stepSource` is `imu` because none is wired, from
    /// acceleration. `boot` is the boot in which the session lives; `domains` are those of the program.
    public init(
        rules: SensingRules = SensingRules(), stepSource: Source = .pulses, boot: BootID = .unknown,
        domains: [Domain] = Domain.all
    ) {
        self.rules = rules
        dutyCycle = DutyCycle(rule: rules.dutyCycle)
        fillTime = Self.fillTime(of: sampling)
        wearer = WearerState(rules: rules)
        daybook = Daybook(boot: boot)
        collectors = domains.compactMap { CollectedDomain($0, rules.domains) }
        restDomains = collectors.domains(on: .accelerometer)
        sources = Self.sources(of: collectors, stepSource: stepSource, SourceLife(rules.dutyCycle.retries))
    }

    /// The present judgement of the wearer's activity.
    public var verdict: Judgement { wearer.verdict }
    public var isWorn: Bool { wearer.wear.state != .notWorn }
    public var pace: DutyCycle.Pace { dutyCycle.pace }
    /// The end of the window that `verdict` is about; nil before the first.
    public var lastWindow: BootTime? { wearer.lastWindow }
    var sensorDomains: DomainSet { source(.imu).domains }
    var lineDomains: DomainSet { source(.pulses).domains }
    /// The ordered domains without those lost since; their devices may fail at present.
    public var allowed: DomainSet { (order?.domains ?? []).subtracting(lost) }
    /// The allowed domains that the IMU serves.
    public var sensedDomains: [Domain] { Domain.all.filter(served(by: .imu).allows) }
    /// The entry of the consent trail that the session's order reflects; zero before the first order.
    public var consentRevision: Int64 { order?.consentRevision ?? 0 }

    /// Takes one event and returns the actions to carry out, in order.
    public mutating func handle(_ event: SensingEvent, at now: Instant) -> [SensingAction] {
        let paceBefore = dutyCycle.pace
        let keptUp = windowsKeepUp
        var actions = followClock(clock, at: now) + react(to: event, at: now)
        actions += followSources(at: now) + followLight(at: now)
        if dutyCycle.pace != paceBefore {
            actions.append(.note(.paceChanged(isRelaxed: dutyCycle.pace == .relaxed)))
        }
        // Before the first order it is unknown which data of an earlier run may be kept.
        guard order != nil else { return actions }
        if keptUp, mayHoldUnwatchedPulses(at: now), !actions.contains(where: \.drainsPulses) {
            actions.append(.drainPulses)
        }
        // Data in the kernel's buffer, in the FIFO, in the folder, from the receiver and of gauges comes first: it may
        // belong to a day that has ended, and to the commit. A commit between the reading of reports and their event
        // would delete their files unstored.
        guard !isWindowDue(at: now), !isInboxDue(at: now),
            !actions.contains(where: { $0.drainsPulses || $0.isAnsweredWithData })
        else { return actions }
        return actions + settleQuarters(at: now) + commitIfDue(at: now)
    }

    private mutating func react(to event: SensingEvent, at now: Instant) -> [SensingAction] {
        switch event {
        case .woke:
            return lineDue(at: now) + sensorDue(at: now) + gaugesDue(at: now) + lightIsDue(at: now)
                + inboxDue(at: now) + wakeCollectors(at: now)
        case .ordered(let order): return follow(order, at: now)
        case .sensorOpened(let hasInterrupt, let sampling, let slow, let countsSteps):
            self.countsSteps = countsSteps
            return sensorOpened(hasInterrupt, sampling, slow, at: now)
        case .windowStarted: return windowStarted(at: now)
        case .windowLost(let fault): return windowLost(fault, at: now)
        case .windowIncomplete(let missing): return windowIncomplete(missing, at: now)
        case .window(let window, let waiting): return windowTaken(window, waiting: waiting, at: now)
        case .stepsCounted(let count): return stepsCounted(count, at: now)
        case .samples(let samples, let waiting): return samplesTaken(samples, waiting: waiting, at: now)
        case .moved: return moved(at: now)
        case .lineOpened(let kernelBuffer): return lineOpened(kernelBuffer, at: now)
        case .opened(let kind): return opened(kind, at: now)
        case .failed(let kind, let fault): return failed(kind, fault, at: now)
        case .waiting(let kind): return waiting(kind, at: now)
        case .pulses(let batch): return take(batch, at: now)
        case .reports(let batch): return take(batch, at: now)
        case .fixes(let fixes): return take(fixes, at: now)
        case .measured(let id, let reading): return take(reading, of: id, at: now)
        case .lit(let drain): return take(drain, at: now)
        case .row(let row): return tell(.row(row), allowed.intersection(DomainSet(type(of: row).book.domain)), at: now)
        case .clockKnown(let known): return followClock(known, at: now)
        case .commitFailed: return commitFailed()
        }
    }
}

extension SensingAction {
    // Checked at every wake-up: comparing actions as values would copy each one.
    fileprivate var drainsPulses: Bool { if case .drainPulses = self { true } else { false } }
    fileprivate var isAnsweredWithData: Bool {
        switch self {
        case .readPositions, .readGauge: true
        default: false
        }
    }
}

extension SensingSession.SensorPhase {
    /// Whether windows are being taken.
    var isSampling: Bool { self != .closed }
}
