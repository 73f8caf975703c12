import Domains

extension MAX3010x {
    /// The current of one LED, found by the light that returns: the least with which the mean is in the range.
    struct LED: Equatable {
        /// In steps of 0.2 mA (LM, SF).
        private(set) var current = LED.least

        private static let least: UInt8 = 0x10
        private static let most: UInt8 = 0xFF
        /// Below a quarter of the full scale the current doubles; above nine tenths it halves. A doubled quarter is
        /// far from the upper limit, so that the search ends.
        private static let dim = Float(fullScale) / 4
        private static let bright = Float(fullScale) * 9 / 10

        enum Change { case none, adjusted, exhausted }

        /// Adjusts the current to the mean count of samples that were taken with it.
        mutating func adjust(to mean: Float) -> Change {
            let before = current
            if mean < Self.dim {
                current = current > Self.most / 2 ? Self.most : current * 2
                return current == before ? .exhausted : .adjusted
            }
            if mean > Self.bright { current = max(current / 2, 1) }
            return current == before ? .none : .adjusted
        }
    }

    /// Samples after a change of current that are dropped: 1 s.
    static let unsettled = 25

    /// Adjusts the LEDs to samples of a drain. Returns those of them that are valid.
    func adjust(to taken: [PulseSample]) throws(SensorError) -> PulseDrain {
        guard case .measuring(var progress) = state else { throw .noWindow(chip: chip.name) }
        let dropped = min(progress.unsettled, taken.count)
        progress.unsettled -= dropped
        let samples = Array(taken.dropFirst(dropped))
        state = .measuring(progress)
        guard !samples.isEmpty else { return PulseDrain(continues: progress.continues, light: progress.light) }

        let share = 1 / Float(samples.count)
        let before = (first, second)
        let changes = [
            first.adjust(to: samples.reduce(0) { $0 + Float($1.first) } * share),
            second.adjust(to: samples.reduce(0) { $0 + Float($1.second) } * share),
        ]
        if changes.contains(.adjusted) {
            let found = (first, second)
            (first, second) = before
            try write([(.firstLED, found.0.current)], thenVerify: .firstLED, is: found.0.current)
            try write([(.secondLED, found.1.current)], thenVerify: .secondLED, is: found.1.current)
            (first, second) = found
            state = .measuring(Progress(unsettled: Self.unsettled))
            return PulseDrain(continues: false, light: .searching)
        }
        let isDark = changes.allSatisfy { $0 == .exhausted }
        let continues = progress.continues
        progress.light = isDark ? .dark : .steady
        progress.continues = true
        state = .measuring(progress)
        return PulseDrain(samples, continues: continues, light: progress.light)
    }
}
