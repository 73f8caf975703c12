import Core

/// A kind of data that the wearer can allow or forbid on its own (SPEC §1).
///
/// A value describes a domain to the rest of the program: its hardware, its figures and events, and its texts. Each has
/// a folder of its own, and `Domain.all` lists it. Two values with the same id are equal.
public struct Domain: Listed {
    /// A reference, so that a domain is one word wherever it is passed.
    private let content: Content

    private final class Content: Sendable {
        let id: UInt8
        let permission: Permission
        let scopes: [ScopePart]
        let least: Scope
        let hardware: Hardware
        let needs: [Domain]
        let figures: [Figure]
        let observed: Figure
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
            needs: [Domain], figures: [Figure], reach: Interval, events: [EventKind], books: [Book],
            nameOfPart: @escaping @Sendable (UInt8) -> String?,
            settings: (any DomainSettings.Type)?, collector: (any Collector.Type)?, words: DomainWords
        ) {
            self.id = id
            self.permission = permission
            self.scopes = scopes
            self.least = least
            self.hardware = hardware
            self.needs = needs
            observed = .observed((id, name), figures.first?.source ?? .session)
            self.figures = figures + [observed]
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
    ///   - id: from 1 to 63; stored, never reused for another domain.
    ///   - name: used in the config, in commands and in the log; a letter, then letters and digits.
    ///   - permission: the permission that the wearer is asked for; several domains can share one.
    ///   - scopes: the parts of it that the wearer can agree to separately; at least one.
    ///   - least: the scopes without which nothing of it is collected.
    ///   - hardware: checked before the domain is collected.
    ///   - needs: the domains that must be collected too, as they supply its input. None may need this one.
    ///   - figures: in the order in which they are kept.
    ///   - reach: how long before their day the samples of figures can be.
    ///   - events: the events that are sent at once.
    ///   - books: other stored data.
    ///   - nameOfPart: the name, in the plural, of a part that the wearer turns on and off separately; nil for a number
    ///     without a part. Numbers are stored, never reused for another part.
    ///   - settings: its sections of the configuration, if it has any.
    ///   - collector: nil if this version does not collect the domain, but only lists it.
    ///   - words: the texts for the wearer.
    public init(
        id: UInt8, name: String, permission: Permission, scopes: [ScopePart], least: Scope, hardware: Hardware,
        needs: [Domain] = [], figures: [Figure] = [], reach: Interval = .zero, events: [EventKind] = [],
        books: [Book] = [],
        nameOfPart: @escaping @Sendable (UInt8) -> String? = { _ in nil },
        settings: (any DomainSettings.Type)? = nil, collector: (any Collector.Type)? = nil, words: DomainWords
    ) {
        content = Content(
            id: id, name: name, permission: permission, scopes: scopes, least: least, hardware: hardware,
            needs: needs, figures: figures, reach: reach, events: events, books: books, nameOfPart: nameOfPart,
            settings: settings, collector: collector, words: words)
    }
}

extension Domain {
    /// From 1 to 63.
    public var id: UInt8 { content.id }
    /// The permission that the domain needs. Several domains can share one.
    public var permission: Permission { content.permission }
    /// The parts of it that the wearer can agree to.
    public var scopes: [ScopePart] { content.scopes }
    /// The least scope with which it is collected.
    public var leastScope: Scope { content.least }
    /// The hardware that it is collected with.
    public var hardware: Hardware { content.hardware }
    /// The domains without which it is not collected. While one of them is off or suspended, it waits: its toggle stays
    /// on, its device is closed, and its data stays.
    public var needs: [Domain] { content.needs }
    /// Its figures of a day, with the observed time as the last.
    public var figures: [Figure] { content.figures }
    /// The time of a day for which it was observed (SPEC §3). Collected only with a sensor; any other domain is observed
    /// while it is on and not suspended.
    public var observed: Figure { content.observed }
    /// How long before their day the samples of its figures can be: a night begins on the day before.
    public var reach: Interval { content.reach }
    /// The events that it raises.
    public var events: [EventKind] { content.events }
    /// Its stored data besides figures and events.
    public var books: [Book] { content.books }
    /// Its own section of the config; nil without one.
    public var settings: (any DomainSettings.Type)? { content.settings }
    /// The maker of its figures and events; nil if this version does not collect it.
    public var collector: (any Collector.Type)? { content.collector }
    /// Whether this version collects it.
    public var isCollected: Bool { content.collector != nil }

    /// The name of a part that the wearer turns on and off separately: `wake alarms`; nil for a number without a part.
    public func nameOfPart(_ part: UInt8) -> String? { content.nameOfPart(part) }

    /// The domains that are collected with this hardware.
    public static func on(_ hardware: Hardware) -> [Domain] { all.filter { $0.hardware == hardware } }

    /// Its whole scope.
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
    /// The daemon that reads the receiver.
    case gpsd
    /// A motor or buzzer on a GPIO line.
    case outputLine
    /// A chip on the IMU's bus that is asked for one measurement at a time.
    case gauge(GaugeID)
    /// A chip on the IMU's bus that lights the skin for some seconds at a time.
    case pulseOximeter
    /// No hardware.
    case nothing
}

extension Hardware {
    /// Whether it is a sensor: on the bus or the lines that a command borrows, and read at intervals.
    public var isSensor: Bool {
        switch self {
        case .accelerometer, .stepSensor, .gauge, .pulseOximeter: true
        case .gpsd, .companionInbox, .outputLine, .nothing: false
        }
    }
}

/// The texts for people about a domain.
public struct DomainWords: Sendable {
    /// An answer to the question besides all and nothing.
    public struct Choice: Sendable {
        /// The words that can be typed; the prompt shows the first.
        public let words: [String]
        /// The text that explains it.
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
    /// Whether it is health data although its hardware does not tell, for the receipt.
    public let isOfHealth: Bool

    public init(
        purpose: String, collected: String, whenOn: String, whenOff: String, policy: String, choices: [Choice] = [],
        isOfHealth: Bool = false
    ) {
        self.purpose = purpose
        self.collected = collected
        self.whenOn = whenOn
        self.whenOff = whenOff
        self.policy = policy
        self.choices = choices
        self.isOfHealth = isOfHealth
    }
}

extension Domain: CustomStringConvertible {
    /// The name in the config, in commands and in the log.
    public var description: String { content.name }
    /// The texts for people about it.
    public var words: DomainWords { content.words }

    /// The domain with this name; nil if this version has none.
    public init?(_ name: some StringProtocol) {
        guard let domain = Domain.all.first(where: { $0.description == name }) else { return nil }
        self = domain
    }
}
