import Config
import Domains
import System
import Core

/// One way to deliver records, ready for use. It takes a message and a time limit, and returns an outcome. The caller
/// stores the outcome of every record and sink, checks consent before each record, and decides about waits.
public protocol Sink {
    /// The account that it delivers to. Data collected for another account is never handed to it.
    var account: [UInt8] { get }
    /// Everything that an answer depends on besides the message: address, credentials, certificates. Refused records
    /// are tried once more when this changes.
    var setUp: [UInt8] { get }

    /// The message for a record. The same record gives the same bytes in this version of the program.
    func message(for content: SinkRecord.Content) -> [UInt8]

    /// Hands over a record as `message` and waits at most `timeout` for the outcome.
    func deliver(_ record: SinkRecord, as message: [UInt8], timeout: Interval) -> SinkAnswer

    /// Everything that an announcement depends on besides consent; nil if the receiver gets no announcements. Stored
    /// unchanged, so it contains no secret and at most 255 bytes.
    var announcementForm: [UInt8]? { get }

    /// Tells the receiver which figures are allowed now, before any record of the run. Called if that has changed since
    /// the last announcement.
    ///
    /// - Parameters:
    ///   - allowed: the figures that records may have from now on.
    ///   - withdrawn: figures that the receiver may still show but must no longer.
    func announce(_ allowed: [Figure], withdrawn: [Figure], timeout: Interval) -> SinkAnswer

    /// Called at the end of a run, whatever the result.
    func finish(at now: WallTime, timeout: Interval)
}

/// The defaults, for sinks that only deliver records.
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
        /// At least one figure; all of them may be sent. A sink may leave out the quarters of an hour.
        case day(UTCDay, [Figure: FigureValue], DayQuarters? = nil)
        case event(NudgeEvent)
        /// To erase delivered data: these figures of all days before that of `until`, and these kinds of events up to
        /// it. One list may be empty.
        case erasure(figures: [Figure], events: [EventKind], until: WallTime)
    }

    /// The same at every attempt, so that the receiver can recognise a repetition.
    public let key: String
    public let content: Content
    /// False for a day if the receiver already has a later one.
    public var isLatest = true

    public init(key: String, content: Content) {
        self.key = key
        self.content = content
    }
}

/// The outcome of one delivery.
public struct SinkAnswer: Equatable, Sendable {
    public let outcome: DeliveryOutcome
    /// One line for people; empty for a success.
    public let problem: String
    /// The receiver's request, in answer to an event, to alert the wearer.
    public let nudge: Nudge?

    public init(_ outcome: DeliveryOutcome, problem: String = "", nudge: Nudge? = nil) {
        self.outcome = outcome
        self.problem = problem
        self.nudge = nudge
    }
}

/// The state of a sink according to the configuration.
public enum SinkState {
    case ready(any Sink)
    /// Records wait for it, but cannot be delivered yet; the text names the missing setting or file.
    case signedOut(missing: String)
    /// The configuration does not use it: no record waits for it.
    case unused
}

/// The configuration of a sink is present but unusable. The message contains no secret.
public struct SinkUnusable: Error, CustomStringConvertible {
    public let description: String
    public let exitCode: ExitCode

    public init(_ description: String, _ exitCode: ExitCode) {
        self.description = description
        self.exitCode = exitCode
    }
}

/// A kind of sink, as the rest of the program sees it. Each has a folder of its own, and `all` lists it.
public struct SinkKind: Sendable {
    /// From 1 to 255; stored, never reused for another sink.
    public let id: UInt8
    /// For people.
    public let name: String
    public let words: SinkWords
    /// Whether the settings name its receiver.
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

/// The input for making a sink.
public struct SinkContext {
    public let settings: Settings
    /// The account, if only root could read it; with nil the sink reads it itself.
    public let account: AccountFile?
    /// The name and version of the program.
    public let userAgent: String

    public init(_ settings: Settings, account: AccountFile? = nil, userAgent: String) {
        self.settings = settings
        self.account = account
        self.userAgent = userAgent
    }
}

/// A sink with its state.
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
