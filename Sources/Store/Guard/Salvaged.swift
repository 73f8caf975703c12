/// The data that a new store took over from the one that was moved aside.
public struct Salvaged: Hashable, Sendable {
    /// Days of history, quarters of an hour, entries of the consent trail, and records of the outbox.
    public internal(set) var days = 0
    public internal(set) var quarters = 0
    public internal(set) var entries = 0
    public internal(set) var records = 0
    /// Rows that did not open, and tables that could not be read completely.
    public internal(set) var lostRows = 0
    public internal(set) var brokenTables: [String] = []
    /// Whether the earlier consent is certain. Otherwise everything is off until the wearer answers again.
    public internal(set) var consentIsKept = false
}

extension Salvaged: CustomStringConvertible {
    /// For the log.
    public var description: String {
        var text = "carried over: \(days) days of history, \(quarters) quarters of an hour, \(records) records, "
        text += "\(entries) entries of the consent trail; "
        text += lostRows == 0 && brokenTables.isEmpty ? "nothing else was found" : "\(lostRows) rows did not open"
        if !brokenTables.isEmpty {
            text += ", and these tables could not be read whole: " + brokenTables.joined(separator: " ")
        }
        return text
            + (consentIsKept
                ? "; the toggles are as they were" : "; all domains are off until the wearer answers again")
    }
}
