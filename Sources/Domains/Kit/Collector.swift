import Core
import Signal

/// An input of a collector. All but `dropped` and `concluding` reach it only while its domain is collected.
public enum CollectorInput: Sendable {
    /// Collection begins, goes on after a restart with the state of before, or covers other scopes from now on. Nothing
    /// outside them may be kept. A domain of the step sensor is served by the accelerometer where none is wired.
    case began(Scope, servedBy: Hardware)
    /// The device that serves the domain answers: from now on a figure without amounts is zero.
    case opened
    /// A window of acceleration that ends now, and what it shows.
    case window(JudgedWindow)
    /// Samples between two windows, slow and without a gap since those before or since the window, of which the last was taken at `end`.
    /// Such come while a collector signals `posture` and the wearer is still.
    case samples([Acceleration], every: Interval, until: BootTime)
    /// Edges of the pulse line, debounced, oldest first; none when the line was read in vain. Windows that could show
    /// whether they are steps come only while `areWindowsTaken`.
    case pulses([BootTime], areWindowsTaken: Bool)
    /// Reports of the paired phone that waited, in any order, and the date of this boot's time.
    case reports([CompanionReport], TrustedClock)
    /// Positions by gpsd, oldest first, and the date of this boot's time, if it is known.
    case fixes([Fix], TrustedClock?)
    /// Another domain that is collected counted steps.
    case walked(steps: Int)
    /// The device that serves the domain failed or is away: the next input does not follow the latest.
    case interrupted
    /// The data of another domain was dropped: what it told is to be forgotten.
    case dropped(Domain)
    /// A day ended at this time and is closed after this: amounts held of quarters before it count unless they are discarded.
    case concluding(BootTime, Wear)
    /// The time of the agenda has come. The date of this boot's time, if it is known.
    case woke(TrustedClock?)
    /// Nothing follows, as when the domain was turned off or a recording ends: whatever waits is to be decided as well as it is known. The
    /// date as above.
    case finished(TrustedClock?)
}

/// An effect that a collector asks for. Figures and events are those that its domain declares. Amounts of a figure with
/// `Fold.duration` are nanoseconds.
public enum CollectorEffect: Equatable, Sendable {
    /// The figure exists at this time, even if nothing is added to it.
    case observe(Figure)
    case add(Amounts, to: Figure)
    /// Amounts of which it is not known yet whether they count.
    case hold(Amounts, of: Figure)
    /// All that is held of the figure counts.
    case count(Figure)
    /// Held amounts of the figure do not count: those of quarters before a time, or all.
    case discard(Figure, before: BootTime?)
    /// An event, its value (`RaisedEvent.value`), and its time; nil for this moment. Two of one kind, value
    /// and time are one.
    case raise(EventKind, value: Int32, at: BootTime? = nil)
    /// The wearer moved at a time between two windows.
    case moved(BootTime)
    /// Steps were credited. Other domains that are collected are told; not an answer to being told so.
    case walked(steps: Int)
    /// The wearer slept; the figures of it are added apart.
    case slept(Sleep)
    /// The wearer stirs now: a moment at which a wake alarm is gentler.
    case stirred
    /// To be entered into a book of its domain.
    case enter(BookNote)
    /// The added amounts would be missed: they are to be stored within `[store] commit-interval`, not with the quiet figures.
    case storeSoon
    /// The collector's state would be missed after a power cut: it is to be stored with the quiet figures.
    case storeQuietly

    /// All that is held of the figure does not count.
    public static func discard(_ figure: Figure) -> CollectorEffect { .discard(figure, before: nil) }
}

/// The knowledge and the needs of a collector between two inputs, besides the usual windows.
public struct CollectorSignals: OptionSet, Sendable {
    public let rawValue: UInt8
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The inputs since the latest decision show that the wearer walks.
    public static let walking = CollectorSignals(rawValue: 1)
    /// The next window is to follow the latest without a gap.
    public static let everySample = CollectorSignals(rawValue: 2)
    /// It helps to know at once that the wearer moves, at any pace.
    public static let movement = CollectorSignals(rawValue: 4)
    /// Another window soon would tell more.
    public static let anotherWindow = CollectorSignals(rawValue: 8)
    /// A window is needed to decide about the pulses of late.
    public static let windowNow = CollectorSignals(rawValue: 16)
    /// A window will be needed to decide about the next pulses, while their rhythm lasts.
    public static let pulsesInDoubt = CollectorSignals(rawValue: 32)
    /// While the wearer is still, samples are wanted between windows, however slow.
    public static let posture = CollectorSignals(rawValue: 64)
    /// Fixes are wanted; the receiver may sleep otherwise.
    public static let position = CollectorSignals(rawValue: 128)
}

/// Makes figures and events of a domain's data, as a value: no clock, no device and no file.
///
/// It is made anew whenever nothing of it may be kept, at the beginning and after its domain was off or was forgotten.
public protocol Collector: Sendable {
    /// The version of `pack`. A newer program reads every older one.
    static var stateVersion: UInt8 { get }

    /// - Parameter settings: those of all domains.
    init(_ settings: DomainValues)

    /// Takes one input and returns the effects, in order.
    mutating func handle(_ input: CollectorInput, at now: BootTime) -> [CollectorEffect]

    /// Its needs until the next input.
    var signals: CollectorSignals { get }

    /// When `woke` is to come; nil where nothing is waited for.
    func agenda(at now: BootTime) -> BootTime?

    /// Writes the state that outlives a restart. Amounts that are held do, without the collector's help.
    func pack(into packer: inout Packer)

    /// Takes up what `pack` of this or an older version wrote, all of it.
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
