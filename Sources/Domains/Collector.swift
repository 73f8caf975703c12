import Quantities
import Signal

#if !hasFeature(Embedded)
/// What a collector is told, while its domain is collected.
public enum CollectorInput: Sendable {
    /// Collection begins, goes on after a restart with the state of before, or covers other scopes from now on. Nothing
    /// outside them may be kept.
    case began(Scope)
    /// A window of acceleration that ends now, and what the wearer is taken to be doing after it.
    case window(Window, Judgement, isWorn: Bool)
    /// Edges of the pulse line, debounced, oldest first; at least one.
    case pulses([BootTime])
    /// The time of the agenda has come.
    case woke
}

/// What a collector wants done. Figures and events are those that its domain declares.
public enum CollectorEffect: Equatable, Sendable {
    /// The figure exists on this day, even if nothing is added to it.
    case observe(Figure)
    /// An amount for a day: of a figure with `Fold.duration`, nanoseconds.
    case add(Int64, to: Figure, on: UTCDay)
    /// An event of this moment, and the threshold that was crossed, in minutes; zero for a kind without one.
    case raise(EventKind, thresholdMinutes: Int32)
}

/// What is made of a domain's data, as a value: no clock, no device and no file.
///
/// It is made anew whenever nothing of it may be kept, at the beginning and after its domain was off or was forgotten.
public protocol Collector: Sendable {
    /// The version of `pack`. A newer program reads every older one.
    static var stateVersion: UInt8 { get }

    /// - Parameter settings: those of all domains.
    init(_ settings: DomainValues)

    /// Takes one input and returns the effects, in order. Called only while the domain is collected.
    mutating func handle(_ input: CollectorInput, at now: Instant) -> [CollectorEffect]

    /// When `woke` is to come; nil where nothing is waited for.
    func agenda(at now: Instant) -> BootTime?

    /// Writes the state that outlives a restart.
    func pack(into packer: inout Packer, at now: Instant)

    /// Takes up what `pack` of this or an older version wrote, all of it.
    mutating func unpack(
        from unpacker: inout Unpacker, version: UInt8, at now: Instant
    ) throws(Unpacker.Malformed)
}

extension Collector {
    public static var stateVersion: UInt8 { 1 }
    public func agenda(at now: Instant) -> BootTime? { nil }
    public func pack(into packer: inout Packer, at now: Instant) {}
    public mutating func unpack(
        from unpacker: inout Unpacker, version: UInt8, at now: Instant
    ) throws(Unpacker.Malformed) {}
}

/// The type of a domain's collector.
public struct CollectorType: Sendable {
    private let type: any Collector.Type

    public init<Value: Collector>(_ type: Value.Type) { self.type = type }

    public var stateVersion: UInt8 { type.stateVersion }

    /// A new one, which holds nothing.
    public func make(_ settings: DomainValues) -> any Collector { type.init(settings) }
}
#else
/// A microcontroller has no place for collectors of types that are found at run time.
public struct CollectorType: Sendable {
    public init<Value>(_: Value.Type) {}
}
#endif
