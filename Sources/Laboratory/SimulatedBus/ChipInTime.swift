import Core

extension [BootTime] {
    /// Adds a rise of the interrupt pin. At least the newest thousand are kept.
    mutating func addRise(at time: BootTime) {
        if count >= 2048 { removeFirst(1024) }
        append(time)
    }
}

/// A FIFO that takes fewer samples a second counts as slow.
let leastFastRate = 20.0

/// The state of a chip as a value, so that a copy of it can run ahead to find the next interrupt.
protocol ChipState {
    /// The time up to which the state has been computed.
    var time: BootTime { get }
    /// The times at which the interrupt pin became active, oldest first.
    var rises: [BootTime] { get }
    /// Whether the pin can rise without a transfer on the bus.
    var mayInterrupt: Bool { get }

    /// Takes the samples between the present state and `target`. With `untilInterrupt` it stops at the first rise of
    /// the pin.
    mutating func advance(to target: BootTime, feeling source: RememberedSource, untilInterrupt: Bool)
}

/// A chip's state in virtual time, and its future state if there are no transfers.
final class ChipInTime<State: ChipState> {
    private let clock: () -> BootTime
    private let source: RememberedSource
    private var state: State
    /// The state computed by a look ahead.
    private var foreseen: State?
    /// The last announced interrupt, and the latest one that was already past when the next was requested.
    private var announced: BootTime?
    private var delivered = BootTime(nanoseconds: .min)

    init(_ state: State, source: any AccelerationSource, clock: @escaping () -> BootTime) {
        self.state = state
        self.source = RememberedSource(source)
        self.clock = clock
    }

    /// The present state, advanced to the clock.
    var present: State {
        advance(to: clock())
        return state
    }

    /// Changes the chip from outside, at the time up to which its state has been computed.
    func touch<Result>(_ act: (inout State, RememberedSource) -> Result) -> Result {
        // A state is large, and this is called for each byte of a FIFO.
        if foreseen != nil { foreseen = nil }
        return act(&state, source)
    }

    func advance(to time: BootTime) {
        if let ahead = foreseen, ahead.time <= time {
            state = ahead
            foreseen = nil
        }
        state.advance(to: time, feeling: source, untilInterrupt: false)
        source.forget(before: state.time)
    }

    /// See `SimulatedAccelerometer.nextInterrupt(before:)`.
    func nextInterrupt(before limit: BootTime) -> BootTime? {
        let now = present.time
        if let earlier = announced, earlier <= now { delivered = earlier }
        announced = firstRise(of: state) ?? firstRise(lookingAheadTo: limit)
        return announced
    }

    private func firstRise(lookingAheadTo limit: BootTime) -> BootTime? {
        guard state.mayInterrupt else { return nil }
        var ahead = foreseen ?? state
        foreseen = nil
        if firstRise(of: ahead) == nil {
            ahead.advance(to: limit - Interval(nanoseconds: 1), feeling: source, untilInterrupt: true)
        }
        foreseen = ahead
        return firstRise(of: ahead).flatMap { $0 < limit ? $0 : nil }
    }

    private func firstRise(of state: State) -> BootTime? {
        guard let latest = state.rises.last, latest > delivered else { return nil }
        return state.rises.first { $0 > delivered }
    }
}
