import Core
import Sensing
import Signal
import Simulation

/// The nights of a recording, run separately from its days: measuring sleep changes the sampling, and steps without a
/// step sensor would be fewer.
struct ReplayedNights {
    /// The samples that are read ahead to check whether there is time for a sleep at all: half an hour at 36 Hz.
    private static let mostWaiting = 65_536

    private let recording: SharedRecording
    private let rules: SensingRules
    /// Parts with gaps so short that a sleep may continue in the next.
    private var group: DutyCycledReplay?
    private var sleeps: [RecordedSleep] = []

    init(_ recording: SharedRecording, rules: SensingRules) {
        self.recording = recording
        self.rules = rules
    }

    /// Runs as far as the recording was read.
    mutating func follow() {
        guard isLong || recording.waiting(for: .nights) > Self.mostWaiting else { return }
        while recording.waiting(for: .nights) > 0 || group?.isBehind ?? false { goOn() }
    }

    /// Runs to the end of the recording. Returns the sleeps, oldest first.
    mutating func finish() -> [RecordedSleep] {
        guard isLong else { return [] }
        while group != nil || !recording.isOver(for: .nights) { goOn() }
        return sleeps
    }

    private var isLong: Bool { recording.length >= SleepRule.stillFor }

    private mutating func goOn() {
        var group = group ?? next()
        let isOver = !group.goOn()
        if isOver { sleeps += group.finish().sleeps }
        self.group = isOver ? nil : group
    }

    private func next() -> DutyCycledReplay {
        var last: Interval?
        return DutyCycledReplay(rules: rules, domains: [.motion, .sleep]) { [recording] in
            recording.take(for: .nights) { sample in
                if let last, sample.time - last >= SleepRule.nightJoinedOver { return false }
                last = sample.time
                return true
            }
        }
    }
}
