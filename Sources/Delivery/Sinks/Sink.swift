import Config
import Domains
import System
import Core

/// One way to deliver records, ready for use. It takes a message and a time, and gives an outcome; the caller keeps the
/// outcome of every record and sink, asks consent anew before each record, and decides about waits.
public protocol Sink {
    /// Whose data it takes. What was collected for another account is never handed to it.
    var account: [UInt8] { get }
    /// Everything that an answer depends on beside the message: address, credentials, certificates. What was refused is tried
    /// once more when this changes.
    var setUp: [UInt8] { get }

    /// The message for a record. The same record gives the same bytes, in this version of the program.
    func message(for content: SinkRecord.Content) -> [UInt8]

    /// Hands over a record as `message` and waits no longer than `timeout` for the outcome.
    func deliver(_ record: SinkRecord, as message: [UInt8], timeout: Interval) -> SinkAnswer

    /// Everything that an announcement depends on beside consent; nil where the receiver is told nothing but records. Kept as it is, so it holds
    /// no secret and at most 255 bytes.
    var announcementForm: [UInt8]? { get }

    /// Tells the receiver what is allowed now, before any record of the run. Called where that differs from what it was told last.
    ///
    /// - Parameters:
    ///   - allowed: the figures that records may have from now on.
    ///   - withdrawn: those of which the receiver may still show what may not be shown any more.
    func announce(_ allowed: [Figure], withdrawn: [Figure], timeout: Interval) -> SinkAnswer

    /// Called at the end of a run, whatever came of it.
    func finish(at now: WallTime, timeout: Interval)
}

/// Most sinks deliver records and nothing else.
extension Sink {
    public var announcementForm: [UInt8]? { nil }
    public func announce(_: [Figure], withdrawn _: [Figure], timeout _: Interval) -> SinkAnswer {
        SinkAnswer(.delivered)
    }
    public func finish(at _: WallTime, timeout _: Interval) {}
}

/// A record as consent allows it to be sent now.
public struct SinkRecord: Equatable, Sendable {
    public enum Content: Equatable, Sendable {
        /// At least one figure, each of which is sent.
        case day(UTCDay, [Figure: FigureValue])
        case event(NudgeEvent)
        /// To erase what was delivered before: of all days before that of `until` these figures, of all events up to it these kinds. One
        /// list may be empty.
        case erasure(figures: [Figure], events: [EventKind], until: WallTime)
    }

    /// The same at every attempt, so that the receiver tells a repetition from another record.
    public let key: String
    public let content: Content
    /// False for a day where the receiver has a later one already.
    public var isLatest = true

    public init(key: String, content: Content) {
        self.key = key
        self.content = content
    }
}

/// The outcome of one delivery.
public struct SinkAnswer: Equatable, Sendable {
    public let outcome: DeliveryOutcome
    /// One line for a person; empty for a success.
    public let problem: String
    /// What the receiver of an event asks the wearer to feel and to read.
    public let nudge: Nudge?

    public init(_ outcome: DeliveryOutcome, problem: String = "", nudge: Nudge? = nil) {
        self.outcome = outcome
        self.problem = problem
        self.nudge = nudge
    }
}

/// The state of a sink by the configuration.
public enum SinkState {
    case ready(any Sink)
    /// Records wait for it, and nothing can be delivered yet; the text names the missing setting or file.
    case signedOut(missing: String)
    /// The configuration does not use it: no record waits for it.
    case unused
}

/// The configuration of a sink is present but unusable. No secret is part of the message.
public struct SinkUnusable: Error, CustomStringConvertible {
    public let description: String
    public let exitCode: ExitCode

    public init(_ description: String, _ exitCode: ExitCode) {
        self.description = description
        self.exitCode = exitCode
    }
}

/// A kind of sink: what the rest of the program has to know of it. Each stands in a folder of its own, and `all` lists it.
public struct SinkKind: Sendable {
    /// From 1 to 255; stored, so one is never used again for another sink.
    public let id: UInt8
    /// For people.
    public let name: String
    public let words: SinkWords
    /// Whether the settings say where it delivers to.
    public let isNamed: @Sendable (Settings) -> Bool
    private let make: @Sendable (SinkContext) throws(SinkUnusable) -> SinkState

    /// - Parameter open: makes the sink.
    public init(
        id: UInt8, name: String, words: SinkWords = .server,
        isNamed: @escaping @Sendable (Settings) -> Bool = { _ in true },
        open: @escaping @Sendable (_ context: SinkContext) throws(SinkUnusable) -> SinkState
    ) {
        self.id = id
        self.name = name
        self.words = words
        self.isNamed = isNamed
        make = open
    }

    public func open(_ context: SinkContext) throws(SinkUnusable) -> OpenedSink {
        OpenedSink(kind: self, state: try make(context))
    }

    /// All sinks, for one run.
    public static func openAll(_ context: SinkContext) throws(SinkUnusable) -> [OpenedSink] {
        var sinks: [OpenedSink] = []
        for kind in all { sinks.append(try kind.open(context)) }
        return sinks
    }
}

/// What a sink is made from.
public struct SinkContext {
    public let settings: Settings
    /// Who signed in, where only root could read that; nil leaves it to the sink to look.
    public let account: AccountFile?
    /// The name and version of the program.
    public let userAgent: String

    public init(_ settings: Settings, account: AccountFile? = nil, userAgent: String) {
        self.settings = settings
        self.account = account
        self.userAgent = userAgent
    }
}

/// A sink, as the configuration has it.
public struct OpenedSink {
    public let kind: SinkKind
    public let state: SinkState

    public init(kind: SinkKind, state: SinkState) {
        self.kind = kind
        self.state = state
    }

    /// Whether records wait for it.
    public var isUsed: Bool {
        if case .unused = state { return false }
        return true
    }
}
