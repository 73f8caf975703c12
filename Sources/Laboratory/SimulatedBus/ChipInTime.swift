import Quantities

/// The inside of a chip as a value: a copy of it can run ahead to look for the next interrupt.
protocol ChipState {
    /// How far the inside has been computed.
    var time: BootTime { get }
    /// When the interrupt pin became active, oldest first.
    var rises: [BootTime] { get }
    /// Whether the pin can rise without anyone touching the bus.
    var mayInterrupt: Bool { get }

    /// Takes the samples that fall between the present state and `target`. With `untilInterrupt` it stops where the pin
    /// rises first.
    mutating func advance(to target: BootTime, feeling source: RememberedSource, untilInterrupt: Bool)
}

/// A chip's state in virtual time, and as it will be if nobody touches the bus.
final class ChipInTime<State: ChipState> {
    private let clock: () -> BootTime
    private let source: RememberedSource
    private var state: State
    /// Set by a look ahead.
    private var foreseen: State?
    /// The interrupt that was announced last, and the latest one whose time had come when the next was asked for.
    private var announced: BootTime?
    private var delivered = BootTime(nanoseconds: .min)

    init(_ state: State, source: any AccelerationSource, clock: @escaping () -> BootTime) {
        self.state = state
        self.source = RememberedSource(source)
        self.clock = clock
    }

    /// What is so now, brought up to the clock.
    var present: State {
        advance(to: clock())
        return state
    }

    /// Something from outside that changes the chip, at the time up to which it has been computed.
    func touch<Result>(_ act: (inout State, RememberedSource) -> Result) -> Result {
        foreseen = nil
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
