import Consent
import Daybook
import Hosting

extension Journal {
    /// Writes what a session noted, each kind with its own event and fields.
    public func log(_ note: SensingNote) {
        switch note {
        case .sensorFound, .sensorRecovered, .sensorFailed, .sensorQuiet, .sensorStaysAwake, .windowLost:
            logSensor(note)
        case .lineFailed, .lineRecovered, .pulsesLost:
            logLine(note)
        case .paceChanged, .sedentaryLong, .dayClosed:
            logJudgement(note)
        case .storeFailed, .storeRecovered, .stoppedUnsaved, .checkpointUnreadable:
            logStore(note)
        }
    }

    private func logSensor(_ note: SensingNote) {
        switch note {
        case .sensorFound:
            log(.info, .sensorFound, domain: .motion, "the IMU answers")
        case .sensorRecovered:
            log(.notice, .sensorRecovered, domain: .motion, "the IMU answers again")
        case .sensorFailed(let reason, let retryIn):
            log(.warning, .sensorFailed, domain: .motion, "\(reason); trying again in \(retryIn.inSeconds) s")
        case .sensorQuiet(let reason, let retryIn):
            log(
                .notice, .sensorQuiet, domain: .motion,
                "motion goes quiet: \(reason); trying again every \(retryIn.inMinutes) min")
        case .sensorStaysAwake(let reason):
            log(.warning, .sensorFailed, domain: .motion, "the IMU could not be put to sleep: \(reason)")
        case .windowLost(let reason):
            log(.warning, .windowLost, domain: .motion, "window lost: \(reason)")
        default:
            break
        }
    }

    private func logLine(_ note: SensingNote) {
        switch note {
        case .lineFailed(let reason, let retryIn):
            log(
                .notice, .lineFailed, domain: .steps,
                "steps go quiet: \(reason); trying again in \(retryIn.inSeconds) s")
        case .lineRecovered:
            log(.notice, .lineRecovered, domain: .steps, "the step line is ours again")
        case .pulsesLost(let count):
            log(.warning, .pulsesLost, domain: .steps, "the kernel dropped \(count) edges", ["LOST": "\(count)"])
        default:
            break
        }
    }

    private func logJudgement(_ note: SensingNote) {
        switch note {
        case .paceChanged(let isRelaxed):
            log(.debug, .dutyCycleChanged, domain: .motion, isRelaxed ? "relaxed" : "attentive")
        case .sedentaryLong(let minutes):
            log(.info, .sedentaryLong, domain: .motion, "\(minutes) minutes of sitting", ["MINUTES": "\(minutes)"])
        case .dayClosed(let closed):
            log(.info, .dayClosed, "\(closed.day) is complete", ["DAY": "\(closed.day)"])
        default:
            break
        }
    }

    private func logStore(_ note: SensingNote) {
        switch note {
        case .storeFailed(let reason):
            log(.error, .storeFailed, "\(reason); sensing goes on, and the next commit writes what this one could not")
        case .storeRecovered:
            log(.notice, .storeRecovered, "the store can be written again")
        case .stoppedUnsaved:
            log(
                .error, .storeFailed,
                "what was sensed since the last commit is lost unless the store can be written before the end")
        case .checkpointUnreadable:
            log(.warning, .stateUnreadable, "the state of the last run cannot be read; today begins anew")
        default:
            break
        }
    }
}
