/// A kind of data that a record may have, by the name that coverage gives it.
struct StudyKind: Sendable {
    let name: String
    /// The columns of its figures.
    let columns: [String]

    static let all = ["steps", "motion", "sleep", "screenTime", "walks", "floors", "heart", "phone"].map { kind in
        StudyKind(name: kind, columns: RecordFigure.all.filter { $0.kind == kind }.map(\.column))
    }
}

/// An account and its last days, for the page of a study.
struct Participant: Sendable {
    /// Of a kind on a day.
    enum Mark: UInt8, Sendable {
        /// The record has nothing of it.
        case none = 0x30
        /// It was observed for at least a minute, a quarter, half, or nine tenths of the day. A record without coverage that
        /// has one of its figures has the last.
        case little = 0x31
        case quarter = 0x32
        case half = 0x33
        case full = 0x34
        /// There is no record.
        case missing = 0x2D
        /// There is no record, and the day is before the first enrolment.
        case before = 0x2E
    }

    let account: String
    /// The operator's name for the person, if there is one.
    let name: String?
    let devices: Int
    /// Days, `YYYY-MM-DD`: when the last token ended, nil while one is valid, and when something new last came, nil if
    /// nothing ever did.
    let ended, contact: String?
    /// For each day, oldest first, the mark of each kind.
    let days: [[Mark]]

    /// The name, otherwise the account.
    var label: String { name ?? account }

    /// Whether there is no record of the day.
    func misses(_ day: Int) -> Bool { days[day].contains(.missing) }

    /// The days without a record.
    var missing: Int { days.indices.count(where: misses) }
}

/// What the page of a study shows.
struct StudyPeriod: Sendable {
    /// `YYYY-MM-DD`, oldest first; the last is yesterday.
    let dates: [String]
    /// Those with most missing days first.
    let participants: [Participant]
    /// `YYYY-MM-DDTHH:MM:SSZ`.
    let writtenAt: String

    init(_ store: PostgreSQLStore, days: Int) throws(StoreFailure) {
        let head = try store.connection.execute(Self.dates(days))
        dates = head.compactMap { $0[0] }
        writtenAt = head.first?[1] ?? ""
        let rows = try store.connection.execute(Self.participants(days))
        participants = rows.compactMap { Participant($0, of: days) }.sorted {
            ($1.missing, $0.label) < ($0.missing, $1.label)
        }
    }

    private static func dates(_ days: Int) -> String {
        """
        SELECT date::date, \(PostgreSQLStatement.time("now()"))
        FROM generate_series(current_date - \(days), current_date - 1, interval '1 day') AS date ORDER BY date
        """
    }

    /// A row for each account. The last value is one text: of each record how many days ago it was, in three digits, and the
    /// mark of each kind.
    private static func participants(_ days: Int) -> String {
        let marks = StudyKind.all.map { kind in
            """
            CASE WHEN coverage IS NULL THEN CASE WHEN num_nonnulls(\(kind.columns.map { "figures.\($0)" }.joined(separator: ", "))) > 0 THEN '4' ELSE '0' END
                ELSE coalesce(width_bucket((observed."\(kind.name)"->>'observed')::integer, ARRAY[1, 360, 720, 1296]), 0)::text END
            """
        }
        let observed = StudyKind.all.map { #""\#($0.name)" json"# }.joined(separator: ", ")
        return """
            WITH enrolled AS (
                SELECT account, count(*) FILTER (WHERE revoked_at IS NULL) AS devices, current_date - min(enrolled_at)::date AS since,
                    CASE WHEN bool_and(revoked_at IS NOT NULL) THEN max(revoked_at)::date END AS ended
                FROM \(StudyTable.enrolled) GROUP BY account
                -- Whose code was not used yet.
                UNION ALL SELECT account, 0, current_date - added_at::date, NULL FROM participant
                WHERE NOT EXISTS (SELECT FROM device WHERE device.account = participant.account)
            ), day AS (
                SELECT account, string_agg(concat(to_char(current_date - date, 'FM000'), \(marks.joined(separator: ", "))), '') AS marks
                FROM daily_figures AS figures LEFT JOIN LATERAL json_to_record(coverage) AS observed(\(observed)) ON true
                WHERE date BETWEEN current_date - \(days) AND current_date - 1 GROUP BY account
            ), contact AS (SELECT account, max(received_at)::date AS last FROM idempotency_key GROUP BY account)
            SELECT account, devices, since, ended, last, marks, participant.name
            FROM enrolled LEFT JOIN participant USING (account) LEFT JOIN day USING (account) LEFT JOIN contact USING (account)
            """
    }
}

extension Participant {
    /// A row of `participants`; nil if it has another form.
    fileprivate init?(_ row: PostgreSQLConnection.Row, of count: Int) {
        guard let account = row[0], let devices = row[1].flatMap(Int.init), let since = row[2].flatMap(Int.init)
        else { return nil }
        let kinds = StudyKind.all.count
        var days = (0..<count).map { [Mark](repeating: count - $0 > since ? .before : .missing, count: kinds) }
        let text = Array((row[5] ?? "").utf8)
        for start in stride(from: 0, to: text.count, by: 3 + kinds) {
            guard let ago = Int(String(decoding: text[start..<start + 3], as: UTF8.self)), 1...count ~= ago else {
                return nil
            }
            days[count - ago] = text[start + 3..<start + 3 + kinds].compactMap(Mark.init)
        }
        self.init(account: account, name: row[6], devices: devices, ended: row[3], contact: row[4], days: days)
    }
}
