import Motion
import Quantities

/// Credits pulses as the session on the device does: those in a human rhythm, unless the windows before and after them
/// both saw a vehicle or a sensor that nobody wears.
struct EvaluationPulseCredit {
    private var rhythm: PulseRhythm
    /// In rhythm, and waiting for the window after them.
    private var waiting = 0
    private var isContradicted = false
    /// Of all pulses so far.
    private(set) var credited = 0

    init(rule: RhythmRule) { rhythm = PulseRhythm(rule: rule) }

    mutating func add(_ pulse: BootTime) { waiting += rhythm.add(pulse).count }

    mutating func add(_ window: JudgedWindow) {
        let contradicts = !window.isWorn || window.judgement.activity == .automotive
        if !(isContradicted && contradicts) { credited += waiting }
        isContradicted = contradicts
        waiting = 0
    }

    /// After the last window nothing contradicts any more.
    mutating func finish() {
        credited += waiting
        waiting = 0
    }
}
