import Domains
import Core
import Delivery

/// The expected results of a trial, in true time: the records of all days, to the step and the minute.
///
/// It knows the agent's readings of the sensors, which of them were written before the process died, and in which boots
/// the time was known. It uses none of the agent's code for this.
final class TrialModel {
    /// A boot with written data.
    struct Boot {
        let began: WallTime
        /// The true time of the last known moment in it.
        var seen: WallTime
        /// The time at which its clock was first trusted; nil if it was not, or if that was not written.
        var trusted: WallTime?
        /// The greatest error of a trusted clock in it.
        var error = Interval.zero
    }

    /// For a domain: whether it is collected, and how often it was turned on.
    struct Consent {
        var isOn = true
        var times = 1
    }

    /// A step that counts.
    struct Step {
        let boot: Int
        let time: WallTime
        let consent: Int
    }

    /// Time of unbroken sitting.
    struct Sitting {
        let boot: Int
        let from: WallTime
        let to: WallTime
        let consent: Int
    }

    let machine: TrialMachine
    /// Whether a trusted clock is wrong in this trial: then days are not comparable.
    let clockLies: Bool
    /// The first failure.
    private(set) var failure: ClockTrial.Failure?

    private(set) var motion = Consent()
    private(set) var steps = Consent()

    private(set) var boots: [Boot] = []
    /// The index of each boot in `boots`, once it has written data.
    private var place: [BootID: Int] = [:]
    /// The same by boot number.
    private var placeOfNumber: [Int: Int] = [:]
    /// The time at which the present boot's clock was first seen as trusted, written or not, and its greatest error.
    private var trustSeen: WallTime?
    private var trustError = Interval.zero
    private var wakesSinceTrust = 0

    private var takenPulses: [(time: WallTime, consent: Int)] = []
    private var takenSittings: [Sitting] = []
    private var lastWindow: WallTime?
    private var writtenLastWindow: WallTime?
    /// The amount of readings that outlive the process.
    private var kept = (pulses: 0, sittings: 0)
    private var keptLastWindow: WallTime?
    /// Whether the last written data was from this boot, or from one with known time.
    private var writtenBoot: (number: Int, isTrusted: Bool) = (0, false)

    /// A run of pulses that is still too short.
    private var run: [WallTime] = []
    private var runBoot = 0
    private var runConsent = 0
    private var lastPulse: WallTime?

    /// Written steps and sitting.
    private(set) var writtenSteps: [Step] = []
    private(set) var writtenSittings: [Sitting] = []
    /// Pulses lost with a process.
    private(set) var pulsesLost = 0

    /// The phone, and the agent's read and written reports.
    let phone: TrialPhone
    var takenReports: [Range<WallTime>] = []
    var writtenReports: [Range<WallTime>] = []
    /// Later use certainly counts.
    var reportsCountFrom: WallTime?
    /// Whether reports were written for days whose record had been sent.
    var hadLateReports = false
    /// The keys of the reported thresholds.
    var told: [ThresholdOfDay: String] = [:]

    struct ThresholdOfDay: Hashable {
        let day: UTCDay
        let minutes: Int32
    }

    /// The records handed over, by day.
    var handed: [UTCDay: Handed] = [:]

    /// A record at its first attempt, with the consent at that time.
    struct Handed {
        let key: String
        let content: SinkRecord.Content
        let motion: Consent
        let steps: Consent
    }

    init(_ machine: TrialMachine, _ phone: TrialPhone, clockLies: Bool) {
        self.machine = machine
        self.phone = phone
        self.clockLies = clockLies
    }

    /// The index in `boots` of the boot with this number.
    func storedPlace(ofBoot number: Int) -> Int? { placeOfNumber[number] }

    /// Records a failure, if it is the first.
    func fail(_ day: UTCDay?, _ what: String) {
        if failure == nil { failure = ClockTrial.Failure(day: day ?? UTCDay(containing: machine.time), what: what) }
    }
}

// MARK: - What the agent takes, writes and loses

extension TrialModel {
    /// The longest time between two pulses of a run.
    private static let slowestStep = Interval.seconds(2)
    private static let leastRun = 6
    /// A longer pause between windows ends unbroken sitting.
    private static let longestPause = Interval.minutes(10)
    /// The longest time until pulses are written: a minute, and the wake-up delay.
    private static let longestLoss = Interval.seconds(63)

    /// The agent takes pulses from the line.
    func take(pulses: [WallTime]) { takenPulses += pulses.map { ($0, steps.times) } }

    /// The wearer sat from the previous window to this one, or only in this one.
    func takeWindow() {
        let now = machine.time
        var from = now - Interval.milliseconds(5120)
        if let lastWindow, now - lastWindow <= Self.longestPause { from = lastWindow }
        takenSittings.append(Sitting(boot: machine.boots, from: from, to: now, consent: motion.times))
        lastWindow = now
    }

    /// The process dies, and its unwritten data is lost; without power also data that a reboot deletes.
    func lose(_ waiting: [WallTime], withPower: Bool) {
        if !withPower {
            kept = (0, 0)
            keptLastWindow = writtenLastWindow
        }
        let lost = takenPulses.dropFirst(kept.pulses).map(\.time) + waiting
        pulsesLost += lost.count
        if let first = lost.first, machine.time - first > Self.longestLoss {
            fail(nil, "pulses of the last \((machine.time - first).inSeconds) s were lost with the process")
        }
        takenPulses.removeLast(takenPulses.count - kept.pulses)
        takenSittings.removeLast(takenSittings.count - kept.sittings)
        lastWindow = keptLastWindow
        // Their files still exist.
        takenReports = []
    }

    /// All readings so far outlive the process, but not the boot.
    func remembered() {
        kept = (takenPulses.count, takenSittings.count)
        keptLastWindow = lastWindow
    }

    /// A process begins with the written data.
    func begin() {
        seeClock()
        guard writtenBoot.number != machine.boots else { return }
        if trustSeen == nil || !writtenBoot.isTrusted { lastWindow = nil }
    }

    /// The agent reads the clock.
    func seeClock() {
        guard machine.isSynchronised else { return }
        trust(machine.wallError)
    }

    /// A trusted source confirms the time.
    func trust(_ error: Interval) {
        trustSeen = trustSeen ?? machine.time
        trustError = max(trustError, max(error, .zero - error))
    }

    /// The board boots.
    func bootBegan() {
        trustSeen = nil
        trustError = .zero
        wakesSinceTrust = 0
    }

    /// All readings so far are written.
    func committed(_ readings: [BootReading]) {
        for reading in readings { note(reading) }
        for pulse in takenPulses { write(pulse.time, pulse.consent) }
        writtenSittings += takenSittings
        takenPulses = []
        takenSittings = []
        reportsCommitted()
        writtenLastWindow = lastWindow
        remembered()
        writtenBoot = (machine.boots, trustSeen != nil)
    }

    /// Something is written about a boot.
    func note(_ reading: BootReading) {
        let isPresent = reading.id == machine.boot
        guard let index = place[reading.id] ?? (isPresent ? boots.count : nil) else { return }
        if index == boots.count {
            place[reading.id] = index
            placeOfNumber[machine.boots] = index
            boots.append(Boot(began: machine.booted, seen: machine.booted))
        }
        boots[index].seen = max(boots[index].seen, boots[index].began + Interval(nanoseconds: reading.seen.nanoseconds))
        guard isPresent else { return }
        if reading.clock == nil, trustSeen != nil {
            fail(nil, "the clock is trusted, and the store was told that it is not")
        }
        if reading.clock != nil, trustSeen == nil { seeClock() }
        if reading.clock != nil, trustSeen == nil { fail(nil, "a clock is trusted that nobody vouches for") }
        boots[index].trusted = boots[index].trusted ?? trustSeen
        boots[index].error = max(boots[index].error, trustError)
    }

    /// The agent has finished its work.
    func woke() {
        guard trustSeen != nil else { return }
        let isWritten = place[machine.boot].map { boots[$0].trusted != nil } ?? false
        wakesSinceTrust = isWritten ? 0 : wakesSinceTrust + 1
        if wakesSinceTrust > 20 { fail(nil, "it is not written that the clock is trusted") }
    }

    private func write(_ pulse: WallTime, _ consent: Int) {
        let boot = machine.boots
        let goesOn = lastPulse.map { pulse - $0 <= Self.slowestStep } ?? false
        if !goesOn || runBoot != boot || runConsent != consent { run = [] }
        (runBoot, runConsent, lastPulse) = (boot, consent, pulse)
        run.append(pulse)
        if run.count == Self.leastRun {
            for time in run { writtenSteps.append(Step(boot: boot, time: time, consent: consent)) }
        } else if run.count > Self.leastRun {
            writtenSteps.append(Step(boot: boot, time: pulse, consent: consent))
        }
    }

    /// A toggle is turned.
    func turn(_ domain: Domain, on: Bool) {
        func turn(_ consent: inout Consent) {
            if on { consent.times += 1 }
            consent.isOn = on
        }
        if domain == .motion {
            turn(&motion)
            lastWindow = nil
            writtenLastWindow = nil
            keptLastWindow = nil
        } else {
            turn(&steps)
        }
    }
}
