import Domains
import Core
import Store
import Devices
import Signal

/// The logic of sensing as a value: decides when to sample, judges the windows and folds the results into days.
///
/// It has no clock, no device and no file. A caller passes events and carries out the actions that it returns, in
/// order; `agenda` has the causes to wait for next. The daemon feeds it from the kernel, a replay from a recording, and
/// the same events at the same times give the same day.
public struct SensingSession: Sendable {
    let rules: SensingRules
    /// The latest order; nil before the first.
    public internal(set) var order: CollectionOrder?
    /// The ordered domains whose devices were lost since.
    var lost: DomainSet = []

    /// By `SourceKind`.
    var sources: [SessionSource]
    var sensor = SensorPhase.closed
    var dutyCycle: DutyCycle
    /// The time at which windows began to fail, before the first one was ever taken.
    var sensorQuietSince: BootTime?
    /// The windows in a row in which the wearer was stationary.
    var stationaryInARow = 0
    /// The drains between windows in a row that found nothing.
    var emptyDrains = 0
    /// The chip's sampling in windows, and between them.
    var sampling = Sampling.wholeWindow
    var slowSampling = Sampling.slow
    /// The time that the chip needs for a window; follows the chip's own oscillator.
    var fillTime: Interval
    /// How much later than it was asked for the first window of a sensor begins.
    var setUpTime = Interval.zero
    /// Whether the sensor can signal motion, and the time to ask it otherwise; nil when it need not be asked.
    var hasInterrupt = true
    var askAt: BootTime?

    /// Nil while the line is not open.
    var drain: LineDrain?
    var drainInterval = Interval.seconds(60)
    var loss = PulseLoss()
    /// When the step sensor's last pulse came; nil before the first since its domains were turned on.
    public internal(set) var lastPulse: BootTime?

    var inbox = InboxReading()
    var refusals = ReportRefusals()
    var receiverTime = ReceiverTime()

    var wearer: WearerState
    var daybook: Daybook
    /// In the order of `Domain.all`.
    var collectors: [CollectedDomain]
    /// Of the domains that the IMU serves, those for which the wearer's rest is followed.
    let restDomains: DomainSet
    /// The latest sleeps that are over, oldest first; of this process alone.
    public internal(set) var sleeps: [Sleep] = []
    /// When the wearer last stirred; of this process alone.
    public internal(set) var stirredAt: BootTime?
    /// The date of this boot's time; nil while no clock is trusted.
    public internal(set) var clock: TrustedClock?
    /// The day up to which everything was stored as settled; nil before the first time.
    var settledDay: UTCDay?
    /// The day at whose beginning the collectors last judged what they hold of earlier ones; of this process alone.
    var concludedDay: UTCDay?
    /// Whether the boot or its clock is another than the store knows of.
    var isNews = true
    /// The boots before this one of which the store may not know all.
    var earlierBoots: [BootReading] = []
    /// Of the restored checkpoint, the parts of a newer version that this one does not know.
    var keptParts = Parts()

    var lastCommit: BootTime?
    var unsaved = Unsaved.nothing

    /// The kind of data that the last commit did not hold; the more urgent is greater.
    enum Unsaved: Comparable {
        case nothing
        /// Only that the boot is another.
        case boot
        case stillness
        case pulses
        /// Data for the outbox, or stored data that the wearer has forbidden.
        case urgent
    }

    enum SensorPhase: Equatable {
        case closed
        case resting(nextWindow: BootTime)
        /// The FIFO is to be drained next at the one time, and the window is whole at the other.
        case filling(started: BootTime, drainAt: BootTime, completeAt: BootTime)
        /// The FIFO fills slowly until the next window, and is to be drained at the other time.
        case slow(nextWindow: BootTime, drainAt: BootTime)
    }

    /// - Parameters:
    ///   - stepSource: steps are counted in `pulses` of a step sensor or, where none is wired, in acceleration of the `imu`.
    ///   - boot: that in which the session lives.
    ///   - domains: the domains of the program.
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
        let stepDomains = collectors.domains(on: .stepSensor)
        restDomains = collectors.domains(on: .accelerometer)
        let byLine = stepSource == .imu ? [] : stepDomains
        let served = [
            restDomains.union(stepDomains).subtracting(byLine), byLine, collectors.domains(on: .companionInbox),
            collectors.domains(on: .gpsd),
        ]
        let life = SourceLife(rules.dutyCycle.retries)
        sources = served.map { SessionSource(domains: $0, life: life) }
    }

    /// The present judgement of the wearer's activity.
    public var verdict: Judgement { wearer.verdict }
    public var isWorn: Bool { wearer.wear.state != .notWorn }
    public var pace: DutyCycle.Pace { dutyCycle.pace }
    /// The end of the window that `verdict` is about; nil before the first.
    public var lastWindow: BootTime? { wearer.lastWindow }
    var sensorDomains: DomainSet { source(.imu).domains }
    var lineDomains: DomainSet { source(.pulses).domains }
    /// The domains that are collected, or would be if their devices worked: the ordered ones without those lost since.
    public var allowed: DomainSet { (order?.domains ?? []).subtracting(lost) }
    /// Those of them that the IMU serves.
    public var sensedDomains: [Domain] { Domain.all.filter(served(by: .imu).allows) }
    /// The entry of the consent trail up to which the session's order reflects it; zero before the first order.
    public var consentRevision: Int64 { order?.consentRevision ?? 0 }

    /// Takes one event and returns the actions to carry out, in order.
    public mutating func handle(_ event: SensingEvent, at now: Instant) -> [SensingAction] {
        let paceBefore = dutyCycle.pace
        let keptUp = windowsKeepUp
        var actions = followClock(clock, at: now) + react(to: event, at: now)
        actions += followSources(at: now)
        if dutyCycle.pace != paceBefore {
            actions.append(.note(.paceChanged(isRelaxed: dutyCycle.pace == .relaxed)))
        }
        // Before the first order it is unknown which data of an earlier run may be kept.
        guard order != nil else { return actions }
        if keptUp, mayHoldUnwatchedPulses(at: now), !actions.contains(where: \.drainsPulses) {
            actions.append(.drainPulses)
        }
        // Data in the kernel's buffer, in the FIFO, in the folder and of the receiver comes first: it may belong to a day that has ended, and to
        // the commit. A commit between the reading of reports and their event would delete their files without storing them.
        guard !isWindowDue(at: now), !isInboxDue(at: now),
            !actions.contains(where: { $0.drainsPulses || $0.readsPositions })
        else { return actions }
        return actions + settleQuarters(at: now) + commitIfDue(at: now)
    }

    private mutating func react(to event: SensingEvent, at now: Instant) -> [SensingAction] {
        switch event {
        case .woke:
            return lineDue(at: now) + sensorDue(at: now) + inboxDue(at: now) + wakeCollectors(at: now)
        case .ordered(let order): return follow(order, at: now)
        case .sensorOpened(let hasInterrupt, let sampling, let slow):
            return sensorOpened(hasInterrupt, sampling, slow, at: now)
        case .windowStarted: return windowStarted(at: now)
        case .windowLost(let fault): return windowLost(fault, at: now)
        case .windowIncomplete(let missing): return windowIncomplete(missing, at: now)
        case .window(let window, let waiting): return windowTaken(window, waiting: waiting, at: now)
        case .samples(let samples, let waiting): return samplesTaken(samples, waiting: waiting, at: now)
        case .moved: return moved(at: now)
        case .lineOpened(let kernelBuffer): return lineOpened(kernelBuffer, at: now)
        case .opened(let kind): return opened(kind, at: now)
        case .failed(let kind, let fault): return failed(kind, fault, at: now)
        case .waiting(let kind): return waiting(kind, at: now)
        case .pulses(let batch): return take(batch, at: now)
        case .reports(let batch): return take(batch, at: now)
        case .fixes(let fixes): return take(fixes, at: now)
        case .clockKnown(let known): return followClock(known, at: now)
        case .commitFailed: return commitFailed()
        }
    }
}

extension SensingAction {
    // Asked at every wake-up: comparing actions as values would copy each.
    fileprivate var drainsPulses: Bool { if case .drainPulses = self { true } else { false } }
    fileprivate var readsPositions: Bool { if case .readPositions = self { true } else { false } }
}

extension SensingSession.SensorPhase {
    /// Whether windows are being taken.
    var isSampling: Bool { self != .closed }
}
