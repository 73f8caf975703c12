import Domains

/// The priority of an entry: the levels of syslog(3).
public enum JournalPriority: Int, CaseIterable, Comparable, Hashable, Sendable {
    case critical = 2
    case error = 3
    case warning = 4
    /// Normal, but worth attention.
    case notice = 5
    case info = 6
    case debug = 7

    /// A more urgent priority has a lower number, as in syslog.
    public static func < (left: JournalPriority, right: JournalPriority) -> Bool { left.rawValue < right.rawValue }
}

/// One line of the log with its fields.
public struct JournalEntry: Hashable, Sendable {
    /// An additional field. In the journal its name gets the prefix `ANICCA_`.
    public struct Field: Hashable, Sendable {
        /// Upper-case letters, digits and underscores.
        public let name: String
        public let value: String

        public init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    public let identifier: String
    public let priority: JournalPriority
    public let event: JournalEvent
    /// The domains that the entry is about, if any.
    public let domains: [Domain]
    public let message: String
    public let fields: [Field]
}

extension JournalEntry {
    /// The fields for the journal, by name.
    var journalFields: [Field] {
        var all = [
            Field(name: "MESSAGE", value: message),
            Field(name: "PRIORITY", value: String(priority.rawValue)),
            Field(name: "SYSLOG_IDENTIFIER", value: identifier),
            Field(name: "MESSAGE_ID", value: event.messageID),
            Field(name: "ANICCA_EVENT", value: event.rawValue),
        ]
        all += domains.map { Field(name: "ANICCA_DOMAIN", value: "\($0)") }
        return all + fields.map { Field(name: "ANICCA_\($0.name)", value: $0.value) }
    }

    /// The message for journald (systemd.io/JOURNAL_NATIVE_PROTOCOL): for each field its name, a line break, the length
    /// of its value in 8 bytes, little-endian, the value, and a line break. The value may contain any bytes, with line
    /// breaks: it cannot add a field.
    var journalMessage: [UInt8] {
        var message: [UInt8] = []
        for field in journalFields {
            let value = field.value.utf8
            message += field.name.utf8
            message.append(UInt8(ascii: "\n"))
            message += (0..<8).map { UInt8(truncatingIfNeeded: value.count >> (8 * $0)) }
            message += value
            message.append(UInt8(ascii: "\n"))
        }
        return message
    }

    /// One line for people, without a line end: `aniccad: warning: motion: 12 samples lost (windowLost samples=12)`.
    /// Control characters in the values are escaped, so that an entry is always one line and cannot control the
    /// terminal.
    ///
    /// - Parameter time: the beginning of the line, if any.
    public func plainLine(coloured: Bool = false, at time: String? = nil) -> String {
        let stamp = time.map { "\($0) " } ?? ""
        var text = "\(identifier): \(priority.name): "
        if !domains.isEmpty { text += domains.map(\.description).joined(separator: ", ") + ": " }
        text += "\(message) (\(event.rawValue)"
        for field in fields { text += " \(field.name.lowercased())=\(field.value)" }
        text = escapingControls(text + ")")
        guard coloured, let colour = priority.colour else { return stamp + text }
        return "\(stamp)\u{1B}[\(colour)m\(text)\u{1B}[0m"
    }
}

extension JournalPriority {
    fileprivate var name: String {
        switch self {
        case .critical: "critical"
        case .error: "error"
        case .warning: "warning"
        case .notice: "notice"
        case .info: "info"
        case .debug: "debug"
        }
    }

    /// Parameters of the terminal's SGR sequence (ECMA-48 section 8.3.117).
    fileprivate var colour: String? {
        switch self {
        case .critical, .error: "1;31"
        case .warning: "33"
        case .notice: "1"
        case .info: nil
        case .debug: "2"
        }
    }
}
