import Foundation

/// The nudges that participants got, and what decides about the next one.
extension PostgreSQLStore {
    /// The nudge of an event that was stored. An event has one decision, whichever receiver it reaches, and however often.
    func nudge(
        _ policy: NudgePolicy, for submission: Submission, isNew: Bool
    ) throws(StoreFailure) -> Nudge? {
        guard case .event(let event) = submission.content, case .holder(let token) = submission.sender else {
            return nil
        }
        return try nudge(policy, at: event, submission.key, isNew: isNew, of: .recipient, token.text)
    }

    /// The same for an event that came over a broker. Nil also where no participant has the name of the device.
    func nudge(_ policy: NudgePolicy, at published: PublishedEvent) throws(StoreFailure) -> Nudge? {
        try nudge(policy, at: published.event, published.key, isNew: true, of: .namedRecipient, published.device)
    }

    /// - Parameters:
    ///   - event: with its key.
    ///   - isNew: false for an event that came before.
    ///   - query: finds the recipient by `identity`.
    private func nudge(
        _ policy: NudgePolicy, at event: Event, _ key: String, isNew: Bool, of query: PostgreSQLStatement,
        _ identity: String
    ) throws(StoreFailure) -> Nudge? {
        try transaction { () throws(StoreFailure) in
            guard let person = try connection.rows(query, [identity]).first, let account = person[0] else {
                return nil
            }
            // Another receiver may count the nudges of the day at the same time.
            try connection.rows(.takeNudgeTurn, [account])
            if let row = try connection.rows(.givenNudge, [account, key]).first {
                return Nudge(rule: row[0] ?? "", strength: row[1] ?? "", message: row[2] ?? "")
            }
            let recipient = NudgeRecipient(name: person[1], language: person[2], timeZone: person[3])
            guard isNew else { return nil }
            let given = try connection.rows(
                .nudgesOfDay, [account, policy.zone(of: recipient).identifier])
            let counts = Dictionary(uniqueKeysWithValues: given.map { ($0[0] ?? "", Int($0[1] ?? "") ?? 0) })
            guard case .success(let nudge) = policy.decide(event, for: recipient, at: .now, given: counts) else {
                return nil
            }
            try connection.rows(
                .keepNudge, [account, key, nudge.rule, nudge.strength, nudge.message])
            return nudge
        }
    }

    /// Sets what a policy takes into account; nil leaves it, and an empty text takes it back. False for an unknown name.
    func describe(_ participant: String, language: String?, timeZone: String?) throws(StoreFailure) -> Bool {
        try !connection.rows(.describe, [participant, language, timeZone]).isEmpty
    }

    /// The events of a UTC day, in order of time, each with its account, participant and arrival.
    func events(of date: String) throws(StoreFailure) -> [ReceivedEvent] {
        try connection.rows(.eventsOfDay, [date]).map { row in
            ReceivedEvent(
                account: row[0] ?? "", recipient: NudgeRecipient(name: row[1], language: row[2], timeZone: row[3]),
                event: Event(
                    type: row[4] ?? "", timestamp: row[5] ?? "", threshold: row[6].flatMap(Int64.init), place: row[7]),
                arrival: (row[8].flatMap(Double.init)).map(Date.init(timeIntervalSince1970:)) ?? .distantPast)
        }
    }
}

struct ReceivedEvent: Sendable {
    let account: String
    let recipient: NudgeRecipient
    let event: Event
    let arrival: Date
}

extension PostgreSQLStatement {
    fileprivate static let recipient = PostgreSQLStatement(
        name: "recipient",
        sql: """
            SELECT account, participant.name, language, time_zone FROM device LEFT JOIN participant USING (account)
            WHERE token = decode($1, 'hex')
            """)
    fileprivate static let namedRecipient = PostgreSQLStatement(
        name: "named_recipient", sql: "SELECT account, name, language, time_zone FROM participant WHERE name = $1")
    fileprivate static let takeNudgeTurn = PostgreSQLStatement(
        name: "take_nudge_turn", sql: "SELECT pg_advisory_xact_lock(4707195, hashtext($1::uuid::text))")
    fileprivate static let givenNudge = PostgreSQLStatement(
        name: "given_nudge",
        sql: "SELECT rule, strength, message FROM nudge WHERE account = $1::uuid AND key = $2::uuid")
    fileprivate static let nudgesOfDay = PostgreSQLStatement(
        name: "nudges_of_day",
        sql: """
            SELECT rule, count(*) FROM nudge
            WHERE account = $1::uuid AND given_at >= date_trunc('day', now(), $2::text) GROUP BY rule
            """)
    fileprivate static let keepNudge = PostgreSQLStatement(
        name: "keep_nudge",
        sql: "INSERT INTO nudge(account, key, rule, strength, message) VALUES ($1::uuid, $2::uuid, $3, $4, $5)")
    fileprivate static let describe = PostgreSQLStatement(
        name: "describe",
        sql: """
            UPDATE participant SET language = nullif(coalesce($2::text, language), ''),
                time_zone = nullif(coalesce($3::text, time_zone), '')
            WHERE name = $1 RETURNING 1
            """)
    fileprivate static let eventsOfDay = PostgreSQLStatement(
        name: "events_of_day",
        sql: """
            SELECT account, participant.name, language, time_zone, type, \(time("at")), threshold, place,
                extract(epoch FROM received_at)
            FROM event LEFT JOIN participant USING (account)
            WHERE at >= $1::date AND at < $1::date + 1 ORDER BY at, account
            """)
}
