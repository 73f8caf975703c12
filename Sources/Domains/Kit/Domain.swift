import Core

/// A kind of data that the wearer can allow or forbid on its own (SPEC §1).
///
/// A value has all that the rest of the program needs to know of a domain: its hardware, its figures and events, and
/// the words for it. Each has a folder of its own, and `Domain.all` lists it. Two values with the same id are the same.
public struct Domain: Listed {
    /// Kept apart, so that a domain is one word wherever it is passed on.
    private let content: Content

    private final class Content: Sendable {
        let id: UInt8
        let permission: Permission
        let scopes: [ScopePart]
        let least: Scope
        let hardware: Hardware
        let figures: [Figure]
        let events: [EventKind]
        let reach: Interval
        let books: [Book]
        let nameOfPart: @Sendable (UInt8) -> String?
        let settings: (any DomainSettings.Type)?
        let collector: (any Collector.Type)?
        let name: String
        let words: DomainWords

        init(
            id: UInt8, name: String, permission: Permission, scopes: [ScopePart], least: Scope, hardware: Hardware,
            figures: [Figure], reach: Interval, events: [EventKind], books: [Book],
            nameOfPart: @escaping @Sendable (UInt8) -> String?,
            settings: (any DomainSettings.Type)?, collector: (any Collector.Type)?, words: DomainWords
        ) {
            self.id = id
            self.permission = permission
            self.scopes = scopes
            self.least = least
            self.hardware = hardware
            self.figures = figures
            self.events = events
            self.reach = reach
            self.books = books
            self.nameOfPart = nameOfPart
            self.settings = settings
            self.collector = collector
            self.name = name
            self.words = words
        }
    }

    /// - Parameters:
    ///   - id: from 1 to 63; stored, so one is never used again for another domain.
    ///   - name: stands in the config, in commands and in the log; a letter, then letters and digits.
    ///   - permission: what the wearer is asked for; several domains can share one.
    ///   - scopes: the parts of it that the wearer can agree to separately; at least one.
    ///   - least: the scopes without which nothing of it is collected.
    ///   - hardware: what is looked at before it is collected.
    ///   - figures: in the order in which they are kept.
    ///   - reach: figures can be of samples that were taken so long before their day.
    ///   - events: what is told at once.
    ///   - books: what is stored of it besides.
    ///   - nameOfPart: the name, in the plural, of a part that the wearer turns on and off apart from the domain's toggle; nil for a number
    ///     without a part. Numbers are stored, so one is never used again for another part.
    ///   - settings: its sections of the configuration, if it has any.
    ///   - collector: without one, this version does not collect the domain: it is listed and nothing more.
    ///   - words: what the wearer reads about it.
    public init(
        id: UInt8, name: String, permission: Permission, scopes: [ScopePart], least: Scope, hardware: Hardware,
        figures: [Figure] = [], reach: Interval = .zero, events: [EventKind] = [], books: [Book] = [],
        nameOfPart: @escaping @Sendable (UInt8) -> String? = { _ in nil },
        settings: (any DomainSettings.Type)? = nil, collector: (any Collector.Type)? = nil, words: DomainWords
    ) {
        content = Content(
            id: id, name: name, permission: permission, scopes: scopes, least: least, hardware: hardware,
            figures: figures, reach: reach, events: events, books: books, nameOfPart: nameOfPart,
            settings: settings, collector: collector, words: words)
    }
}

extension Domain {
    /// From 1 to 63.
    public var id: UInt8 { content.id }
    /// The permission that the domain needs. Two domains can share one.
    public var permission: Permission { content.permission }
    /// The parts of it that the wearer can agree to.
    public var scopes: [ScopePart] { content.scopes }
    /// The least that it needs to be collected.
    public var leastScope: Scope { content.least }
    /// The hardware that it is collected with.
    public var hardware: Hardware { content.hardware }
    /// The figures of a day that it makes.
    public var figures: [Figure] { content.figures }
    /// How long before their day samples can be of which its figures are: a night begins on the day before.
    public var reach: Interval { content.reach }
    /// The events that it raises.
    public var events: [EventKind] { content.events }
    /// What is stored of it beside figures and events.
    public var books: [Book] { content.books }
    /// The section of the config that is its own; nil without one.
    public var settings: (any DomainSettings.Type)? { content.settings }
    /// The maker of its figures and events; nil where this version does not collect it.
    public var collector: (any Collector.Type)? { content.collector }
    /// Whether this version collects it.
    public var isCollected: Bool { content.collector != nil }

    /// The name of a part that the wearer turns on and off apart: `wake alarms`; nil for a number without a part.
    public func nameOfPart(_ part: UInt8) -> String? { content.nameOfPart(part) }

    /// The domains that are collected with this hardware.
    public static func on(_ hardware: Hardware) -> [Domain] { all.filter { $0.hardware == hardware } }

    /// All that can be agreed to of it.
    public var wholeScope: Scope { scopes.reduce(into: Scope()) { $0.formUnion($1.scope) } }
}

/// The hardware or service of a domain, which is checked and opened for it.
public enum Hardware: Equatable, Sendable {
    /// An IMU on an I²C bus.
    case accelerometer
    /// A step sensor on a GPIO line or, where none is wired, an IMU.
    case stepSensor
    /// The directory into which the paired phone's bridge puts its reports.
    case companionInbox
    /// The daemon that knows the receiver.
    case gpsd
    /// A motor or buzzer on a GPIO line.
    case outputLine
    /// Nothing but the program.
    case nothing
}

/// The texts for people about a domain.
public struct DomainWords: Sendable {
    /// An answer to the question that is neither all nor nothing.
    public struct Choice: Sendable {
        /// The words that can be typed; the prompt shows the first.
        public let words: [String]
        /// A remark behind it.
        public let meaning: String
        public let scope: Scope

        public init(words: [String], meaning: String, scope: Scope) {
            self.words = words
            self.meaning = meaning
            self.scope = scope
        }
    }

    /// The purpose, to be read after the permission's title and a colon: `your steps`.
    public let purpose: String
    /// The measurement: its subject, its method, and the data that is not kept.
    public let collected: String
    /// The consequence of turning it on, to be read after "the" and the device: `is read, and …`.
    public let whenOn: String
    /// The consequence of turning it off.
    public let whenOff: String
    /// The help for its key in `[policy]` of the config: `Whether steps may be counted.`
    public let policy: String
    /// The choices besides all and nothing, for a permission of this domain alone.
    public let choices: [Choice]

    public init(
        purpose: String, collected: String, whenOn: String, whenOff: String, policy: String, choices: [Choice] = []
    ) {
        self.purpose = purpose
        self.collected = collected
        self.whenOn = whenOn
        self.whenOff = whenOff
        self.policy = policy
        self.choices = choices
    }
}

extension Domain: CustomStringConvertible {
    /// The name in the config, in commands and in the log.
    public var description: String { content.name }
    /// The texts for people about it.
    public var words: DomainWords { content.words }

    /// The domain with this name; nil for a name that no domain of this version has.
    public init?(_ name: some StringProtocol) {
        guard let domain = Domain.all.first(where: { $0.description == name }) else { return nil }
        self = domain
    }
}
