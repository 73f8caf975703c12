import Core
import Signal

/// Credits pulses like the session on the device, but with gapless windows: pulses in a human rhythm, confirmed by the
/// windows, on a worn sensor.
struct EvaluationPulseCredit {
    private var rhythm: PulseRhythm
    private var evidence = GaitEvidence()
    private var wasWorn = true
    /// Pulses in rhythm since the latest window.
    private var fresh = 0
    /// Earlier pulses in rhythm, not yet confirmed.
    private var waiting = 0
    /// The credited pulses so far.
    private(set) var credited = 0

    init(rule: RhythmRule) { rhythm = PulseRhythm(rule: rule) }

    mutating func add(_ pulse: BootTime) { fresh += rhythm.add(pulse).count }

    /// - Parameters:
    ///   - belief: the probabilities, given this window and those before it.
    ///   - alone: the probabilities, given this window alone.
    mutating func add(_ window: JudgedWindow, _ belief: ActivityProbabilities, alone: ActivityProbabilities) {
        let ruling = evidence.judge(belief, alone: alone, sawSteps: fresh > 0)
        waiting += fresh
        fresh = 0
        let isContradicted = !wasWorn && !window.isWorn
        wasWorn = window.isWorn
        if ruling == .credit, !isContradicted { credited += waiting }
        if ruling != .wait || isContradicted { waiting = 0 }
    }

    /// Ends the recording: pulses after the last window are credited only during a recognised walk.
    mutating func finish() {
        if evidence.isWalking, wasWorn { credited += fresh }
        (fresh, waiting) = (0, 0)
    }
}
