/// A table for analysis: a row for each person and day, each event, or each device.
struct StudyTable: Sendable {
    struct Column: Sendable {
        let name: String
        /// Its value, an expression of SQL.
        let value: String
        /// Its unit or form, and its meaning.
        let about: String

        init(_ name: String, _ about: String, value: String? = nil) {
            self.name = name
            self.value = value ?? name
            self.about = about
        }

        /// A time in UTC, as in the contract.
        static func time(_ name: String, _ about: String) -> Column {
            Column(name, "time, \(about)", value: PostgreSQLStatement.time(name))
        }
    }

    let name: String
    let columns: [Column]
    /// What follows the columns in the query.
    let source: String

    static let all = [days, events, devices]

    /// One row for each account and date.
    private static let days = StudyTable(
        name: "days",
        columns: [participant, account, Column("date", "the UTC day")]
            + RecordFigure.all.map { figure in
                figure.form == .time
                    ? .time(figure.column, figure.about)
                    : Column(figure.column, figure.form == .json ? "JSON, \(figure.about)" : figure.about)
            } + [
                Column(
                    "coverage",
                    "JSON, minutes observed by domain and reasons for the rest, of the device that observed the most"),
                .time("received_at", "when the server received it"),
                Column(
                    "consent", "the version of the consent on the day, as the operator noted it",
                    value: """
                        (SELECT version FROM consent WHERE consent.account = daily_figures.account AND since <= date \
                        ORDER BY since DESC LIMIT 1)
                        """),
            ],
        source: "daily_figures LEFT JOIN participant USING (account) ORDER BY date, account")

    private static let events = StudyTable(
        name: "events",
        columns: [
            participant, account, .time("at", "when it happened"), Column("type", "the type of the event"),
            Column("threshold", "minutes, the threshold that was reached"),
            Column("place", "the name of the place, as the wearer configured it"),
            .time("received_at", "when the server received it"),
            Column("nudge", "the rule by which the wearer was nudged at it", value: "nudge.rule"),
            .time("given_at", "when the nudge was given"),
        ],
        source: """
            event LEFT JOIN participant USING (account) LEFT JOIN nudge USING (account, key) ORDER BY at, account, key
            """)

    private static let devices = StudyTable(
        name: "devices",
        columns: [
            participant, account, Column("device", "the operator's name for it"),
            .time("enrolled_at", "when it was enrolled"), .time("revoked_at", "when its tokens ended"),
            .time("last_contact", "when the server last received something new of the account"),
        ],
        source: """
            \(enrolled) LEFT JOIN participant USING (account) LEFT JOIN (
                SELECT account, max(received_at) AS last_contact FROM idempotency_key GROUP BY account) AS contact USING (account)
            ORDER BY account, enrolled_at, device
            """)

    /// A row for each enrolment of a device, whose tokens may have been replaced since.
    static let enrolled = """
        (SELECT account, name AS device, enrolled_at,
            CASE WHEN bool_and(revoked_at IS NOT NULL) THEN max(revoked_at) END AS revoked_at
            FROM device GROUP BY account, name, enrolled_at) AS enrolled
        """

    private static let participant = Column(
        "participant", "the operator's name for the person, if there is one", value: "participant.name")
    private static let account = Column("account", "UUID, the participant")

    /// Writes the rows as CSV with a header (RFC 4180; PostgreSQL, "COPY"). A missing value is empty.
    var copy: String {
        let columns = columns.map { "\($0.value) AS \($0.name)" }.joined(separator: ", ")
        return "COPY (SELECT \(columns) FROM \(source)) TO STDOUT WITH (FORMAT csv, HEADER)"
    }

    /// The columns of all tables as CSV.
    static var dictionary: String {
        let rows = all.flatMap { table in table.columns.map { "\(table.name),\($0.name),\"\($0.about)\"" } }
        return (["table,column,meaning"] + rows).map { "\($0)\n" }.joined()
    }
}
