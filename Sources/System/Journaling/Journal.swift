import Domains

/// The log of one program.
public struct Journal {
    private let identifier: String
    private let write: (JournalEntry) -> Void

    /// A log that passes every entry to `write`, as tests and the demo use it.
    public init(identifier: String, write: @escaping (JournalEntry) -> Void) {
        self.identifier = identifier
        self.write = write
    }

    /// The same log, without the entries less urgent than `priority`.
    public func limited(to priority: JournalPriority) -> Journal {
        Journal(identifier: identifier) { [write] entry in
            if entry.priority <= priority { write(entry) }
        }
    }

    /// Writes one entry. `fields` are written as in `["SAMPLES": "12"]`; a name consists of upper-case letters, digits
    /// and underscores. Never put a secret, a coordinate or a server's whole reply in here.
    ///
    /// Never fails: an entry that cannot be written is lost.
    public func log(
        _ priority: JournalPriority, _ event: JournalEvent, domain: Domain? = nil, _ message: String,
        _ fields: KeyValuePairs<StaticString, String> = [:]
    ) {
        log(priority, event, domains: domain.map { [$0] } ?? [], message, fields)
    }

    /// Writes one entry about several domains.
    public func log(
        _ priority: JournalPriority, _ event: JournalEvent, domains: [Domain], _ message: String,
        _ fields: KeyValuePairs<StaticString, String> = [:]
    ) {
        write(
            JournalEntry(
                identifier: identifier, priority: priority, event: event, domains: domains, message: message,
                fields: fields.map { JournalEntry.Field(name: $0.key.description, value: $0.value) }))
    }
}
