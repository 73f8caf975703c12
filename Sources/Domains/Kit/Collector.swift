import Core
import Signal

/// An input of a collector. All but `dropped` and `concluding` are sent only while its domain is collected. A collector
/// handles the inputs that concern it, and has a default for the others.
public enum CollectorInput: Sendable {
    /// Collection begins, continues after a restart with the restored state, or has other scopes from now on. Nothing
    /// outside the scopes may be kept. `servedBy` may be the accelerometer for a domain of the step sensor, if none is
    /// wired.
    case began(Scope, servedBy: Hardware)
    /// The device that serves the domain answers: from now on, a figure without amounts is zero.
    case opened
    /// A window of acceleration that ends now, with its judgement.
    case window(JudgedWindow)
    /// The reading of the step counter inside the chip, at the start of a window or just before one that ends now. It
    /// comes only if steps have no step sensor, and wraps after 65,535.
    case stepCount(UInt16, endsWindow: Bool)
    /// Samples between two windows, at a low rate and without a gap to the previous samples or the window; the last was
    /// taken at `end`. They are sent while a collector signals `posture` and the wearer is still.
    case samples([Acceleration], every: Interval, until: BootTime)
    /// Edges of the pulse line, debounced, oldest first; empty if the line had none. Windows that could confirm them as
    /// steps come only while `areWindowsTaken`.
    case pulses([BootTime], areWindowsTaken: Bool)
    /// Waiting reports of the paired phone, in any order, and the date of this boot's time.
    case reports([CompanionReport], TrustedClock)
    /// Positions by gpsd, oldest first, and the date of this boot's time, if it is known.
    case fixes([Fix], TrustedClock?)
    /// A measurement of the gauge that serves the domain, started at this time.
    case gauge(GaugeReading, at: BootTime)
    /// Light of the pulse oximeter that serves the domain, the newest of now.
    case light(PulseDrain)
    /// Another collected domain counted steps; `unseen` of them stand for time without samples.
    case walked(steps: Int, unseen: Int = 0)
    /// Another collected domain measured the wearer's speed, in m/s.
    case travelled(speed: Float)
    /// A row of a book of the domain that a command of the wearer changes: when collection begins or continues after a
    /// restart, and after each change.
    case row(any BookRow)
    /// The device that serves the domain failed or is missing: the next input does not follow the latest.
    case interrupted
    /// The data of another domain was dropped; information from it must be forgotten.
    case dropped(Domain)
    /// A day ended at this time and is closed after this input: held amounts of quarters before it count unless they
    /// are discarded.
    case concluding(BootTime, Wear)
    /// The time of the agenda has come. Has the date of this boot's time, if known.
    case woke(TrustedClock?)
    /// Nothing follows, as when the domain was turned off or a recording ends: pending decisions are to be made with
    /// the present knowledge. The date as above.
    case finished(TrustedClock?)
}

/// An effect that a collector asks for. Figures and events are those that its domain declares. Amounts of a figure with
/// `Fold.duration` are nanoseconds.
public enum CollectorEffect: Equatable, Sendable {
    /// The figure exists at this time, even if nothing is added to it.
    case observe(Figure)
    case add(Amounts, to: Figure)
    /// Amounts that may or may not count later.
    case hold(Amounts, of: Figure)
    /// All held amounts of the figure count.
    case count(Figure)
    /// Held amounts of the figure do not count: those of quarters before a time, or all.
    case discard(Figure, before: BootTime?)
    /// An event, its value (`RaisedEvent.value`), and its time; nil for now. Two events of the same kind, value and
    /// time are one.
    case raise(EventKind, value: Int32, at: BootTime? = nil)
    /// The wearer moved at a time between two windows.
    case moved(BootTime)
    /// Steps were credited, `unseen` of them for time without samples. Other collected domains are told. Must not be a
    /// response to `walked`.
    case walked(steps: Int, unseen: Int = 0)
    /// The wearer moves at a speed over ground, in m/s. Other collected domains are told.
    case travelled(speed: Float)
    /// The wearer slept; the figures of the sleep are added separately.
    case slept(Sleep)
    /// The wearer stirs now: a gentler moment for a wake alarm.
    case stirred
    /// An entry for a book of its domain.
    case enter(BookNote)
    /// The added amounts are important: store them within `[store] commit-interval`, not with the quiet figures.
    case storeSoon
    /// The collector's state is worth keeping over a power cut: store it with the quiet figures.
    case storeQuietly

    /// All held amounts of the figure do not count.
    public static func discard(_ figure: Figure) -> CollectorEffect { .discard(figure, before: nil) }
}

/// The state and needs of a collector between two inputs, besides the usual windows.
public struct CollectorSignals: OptionSet, Sendable {
    public let rawValue: UInt16
    public init(rawValue: UInt16) { self.rawValue = rawValue }

    /// The inputs since the latest decision show that the wearer walks.
    public static let walking = CollectorSignals(rawValue: 1)
    /// The next window is to follow the latest without a gap.
    public static let everySample = CollectorSignals(rawValue: 2)
    /// Immediate notice of movement is useful, at any pace.
    public static let movement = CollectorSignals(rawValue: 4)
    /// Another window soon would help.
    public static let anotherWindow = CollectorSignals(rawValue: 8)
    /// A window is needed to decide about the latest pulses.
    public static let windowNow = CollectorSignals(rawValue: 16)
    /// A window will be needed to decide about the next pulses, while their rhythm lasts.
    public static let pulsesInDoubt = CollectorSignals(rawValue: 32)
    /// While the wearer is still, samples are wanted between windows, however slow.
    public static let posture = CollectorSignals(rawValue: 64)
    /// Fixes are wanted; otherwise the receiver may sleep.
    public static let position = CollectorSignals(rawValue: 128)
    /// Light of the pulse oximeter is wanted, and windows without a gap beside it; otherwise its LEDs are off.
    public static let light = CollectorSignals(rawValue: 256)
    /// Later inputs may change the amounts of a day that is over: it stays open for as long as a day may.
    public static let undecided = CollectorSignals(rawValue: 512)
}

/// Makes figures and events of a domain's data, as a value: no clock, no device and no file.
///
/// A new one is made whenever no state may be kept: at the beginning, and after its domain was off or was forgotten.
public protocol Collector: Sendable {
    /// The version of `pack`. A newer program reads every older one.
    static var stateVersion: UInt8 { get }

    /// - Parameter settings: the settings of all domains.
    init(_ settings: DomainValues)

    /// Takes one input and returns the effects, in order.
    mutating func handle(_ input: CollectorInput, at now: BootTime) -> [CollectorEffect]

    /// Its needs until the next input.
    var signals: CollectorSignals { get }

    /// The time at which `woke` is wanted; nil for none.
    func agenda(at now: BootTime) -> BootTime?

    /// Writes the state that outlives a restart. Held amounts are kept without the collector's help.
    func pack(into packer: inout Packer)

    /// Restores the whole state that `pack` of this or an older version wrote.
    mutating func unpack(
        from unpacker: inout Unpacker, version: UInt8, times: RestoredTimes
    ) throws(Unpacker.Malformed)
}

extension Collector {
    public static var stateVersion: UInt8 { 1 }
    public var signals: CollectorSignals { [] }
    public func agenda(at now: BootTime) -> BootTime? { nil }
    public func pack(into packer: inout Packer) {}
    public mutating func unpack(
        from unpacker: inout Unpacker, version: UInt8, times: RestoredTimes
    ) throws(Unpacker.Malformed) {}
}
