import Devices
import Domains
import System

extension Journal {
    /// Writes a session's note, each kind with its own event and fields. `sensed` are the domains that the IMU serves
    /// now.
    public func log(_ note: SensingNote, sensed: [Domain] = []) {
        switch note {
        case .sensorFound:
            log(.info, .sensorFound, domains: sensed, "the IMU answers")
        case .recovered(let kind):
            let words = SourceWords(kind)
            log(.notice, words.recovered, domains: kind == .imu ? sensed : words.domains, words.back)
        case .failed(.imu, let reason, let retryIn):
            log(.warning, .sensorFailed, domains: sensed, "\(reason); trying again in \(retryIn.inSeconds) s")
        case .failed(let kind, let reason, let retryIn):
            let words = SourceWords(kind)
            let text = "\(words.quiet): \(reason); trying again in \(retryIn.inSeconds) s"
            log(.notice, words.failed, domains: words.domains, text)
        case .sensorQuiet(let reason, let retryIn):
            let text = "the IMU keeps failing: \(reason); trying again every \(retryIn.inMinutes) min"
            log(.notice, .sensorQuiet, domains: sensed, text)
        case .sensorStaysAwake(let reason):
            log(.warning, .sensorFailed, domains: sensed, "the IMU could not be put to sleep: \(reason)")
        case .windowLost(let reason):
            log(.warning, .windowLost, domains: sensed, "window lost: \(reason)")

        case .pulsesLost(let count?):
            log(
                .warning, .pulsesLost, domains: Domain.on(.stepSensor), "the kernel dropped \(count) edges",
                ["LOST": "\(count)"])
        case .pulsesLost(nil):
            let text = "the kernel's buffer of edges was full, and it may have dropped some"
            log(.warning, .pulsesLost, domains: Domain.on(.stepSensor), text)

        case .reportsRefused(let count, let some):
            var text = "\(count) of the phone's reports set aside"
            for refusal in some { text += "; \(refusal.name): \(refusal.reason)" }
            log(.warning, .reportsRefused, domains: Domain.on(.companionInbox), text, ["COUNT": "\(count)"])

        case .paceChanged(let isRelaxed):
            log(.debug, .dutyCycleChanged, domains: sensed, isRelaxed ? "relaxed" : "attentive")
        case .raised(let event) where event.kind == .sedentaryLong:
            let minutes = "\(event.value)"
            log(.info, .sedentaryLong, domain: .motion, "\(minutes) minutes of sitting", ["MINUTES": minutes])
        case .raised(let event):
            let kind = event.kind
            log(.info, .eventRaised, domain: kind.domain, "\(kind) is queued for the server", ["KIND": "\(kind)"])
        case .dayClosed(let day):
            log(.info, .dayClosed, "\(day) is complete", ["DAY": "\(day)"])
        case .dayIncomplete(let day, .everything):
            let text = "\(day) is incomplete: some of its data was lost with a part of the store; it is not sent"
            log(.error, .storeDamaged, text, ["DAY": "\(day)"])
        case .dayIncomplete(let day, let domains):
            let text =
                "\(day) is incomplete: some of its data was lost before the store could be written; "
                + "the figures of these kinds of data stay here and are not sent"
            log(.error, .storeFailed, domains: Domain.all.filter(domains.allows), text, ["DAY": "\(day)"])
        case .timeTrusted(let source):
            log(.notice, .timeTrusted, "the time is known from \(source): data that waited for it is now dated")
        case .clockStepped(let step, let source):
            log(
                .warning, .clockStepped,
                "the clock was set by \(step.inSeconds) s, by \(source): unsent days follow the new time")
        case .cameLate(let count):
            let text = "\(count) quarters of an hour belong to days whose records may be sent already; they stay here"
            log(.warning, .dataLate, text, ["COUNT": "\(count)"])
        case .undated(let count):
            let text = "\(count) quarters of an hour have no date: the clock was never trusted in their boot"
            log(.notice, .dataUndated, text, ["COUNT": "\(count)"])
        case .recordsChanged(let count):
            let text =
                "\(count) records of the outbox were changed or moved outside this program, and are created again"
            log(.error, .storeDamaged, text, ["COUNT": "\(count)"])
        case .expired(let count):
            let text = "dropped \(count) undelivered records that were older than [delivery] keep-undelivered"
            log(.notice, .uploadDropped, text, ["COUNT": "\(count)"])

        case .storeFailed(let reason):
            log(.error, .storeFailed, "\(reason); sensing continues, and the next commit includes this data")
        case .storeRecovered:
            log(.notice, .storeRecovered, "the store can be written again")
        case .stoppedUnsaved:
            log(.error, .storeFailed, "data since the last commit is lost: the store could not be written")
        case .checkpointUnreadable:
            log(.warning, .stateUnreadable, "the state of the last run cannot be read; today's figures start from zero")
        }
    }
}

/// The journal's events, domains and texts for a source.
private struct SourceWords {
    let failed, recovered: JournalEvent
    let domains: [Domain]
    /// The texts for a source that is down, and for one that is back.
    let quiet, back: String

    init(_ kind: SourceKind) {
        switch kind {
        case .imu:
            (failed, recovered, domains) = (.sensorFailed, .sensorRecovered, [])
            (quiet, back) = ("no data from the IMU", "the IMU answers again")
        case .pulses:
            (failed, recovered, domains) = (.lineFailed, .lineRecovered, Domain.on(.stepSensor))
            (quiet, back) = ("no steps from the step line", "the step line is available again")
        case .reports:
            (failed, recovered, domains) = (.inboxFailed, .inboxRecovered, Domain.on(.companionInbox))
            (quiet, back) = ("no reports of screen time", "the phone's reports can be read again")
        case .positions:
            (failed, recovered, domains) = (.positionsFailed, .positionsRecovered, Domain.on(.gpsd))
            (quiet, back) = ("no positions from gpsd", "gpsd reports positions again")
        case .oximeter:
            (failed, recovered, domains) = (.gaugeFailed, .gaugeRecovered, Domain.on(.pulseOximeter))
            (quiet, back) = ("no data from the pulse oximeter", "the pulse oximeter measures again")
        case .gauge(let id):
            (failed, recovered, domains) = (.gaugeFailed, .gaugeRecovered, Domain.on(.gauge(id)))
            let name = GaugeKind.of(id).name
            (quiet, back) = ("no data from the \(name)", "the \(name) measures again")
        }
    }
}

extension Journal {
    /// Signals the wake file, and logs a failure: the uploader then looks at the store at its next run.
    public func signal(_ wakeFile: WakeFile) {
        do {
            try wakeFile.signal()
        } catch {
            log(.warning, .bellUnusable, "cannot notify the uploader: \(error); it checks the store at its next run")
        }
    }
}
