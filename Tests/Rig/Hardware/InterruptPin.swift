import Core

/// The INT pin of the adapter's chip, wired to a line of gpio-sim.
///
/// The line is high for a moment only, also where the chip is set to hold it.
final class InterruptPin: Service {
    private let line: SimulatedLine
    private let adapter: SimulatedAdapter
    /// The count of rises of the line.
    private(set) var rises = 0

    init(pull: String, adapter: SimulatedAdapter) throws(HardwareError) {
        line = try SimulatedLine(pull: pull)
        self.adapter = adapter
        try line.set(high: false)
    }

    let descriptors: [Int32] = []

    var deadline: BootTime? { adapter.nextInterrupt(within: .seconds(1)) }

    func serve(_ ready: Set<Int32>) throws(HardwareError) {
        for _ in adapter.takeInterrupts() {
            try line.set(high: true)
            try line.set(high: false)
            rises += 1
        }
    }
}
