/// Devices that sign in by a code, and the participants for whom codes are approved.
extension PostgreSQLStore {
    /// Keeps a new code, `SignInCode.random()`. False if too many wait.
    func keepCode(_ deviceCode: Digest, _ code: String) throws(StoreFailure) -> Bool {
        try !connection.rows(.keepCode, [deviceCode.text, code, String(SignInCode.lifetime)]).isEmpty
    }

    /// The account of a code that was approved, to which the tokens then belong.
    func redeem(_ deviceCode: Digest, _ pair: TokenPair) throws(StoreFailure) -> SignInOutcome {
        try outcome(of: .redeem, deviceCode, pair)
    }

    /// The account of a refresh token, to which the new tokens then belong.
    func refresh(_ refresh: Digest, _ pair: TokenPair) throws(StoreFailure) -> SignInOutcome {
        try outcome(of: .refresh, refresh, pair)
    }

    /// Ends the sign-in of a device by its access token or its refresh token; an unknown one has ended already.
    func endSignIn(_ token: Digest) throws(StoreFailure) { _ = try connection.rows(.endSignIn, [token.text]) }

    private func outcome(
        of statement: PostgreSQLStatement, _ given: Digest, _ pair: TokenPair
    ) throws(StoreFailure) -> SignInOutcome {
        let row = try connection.rows(
            statement,
            [
                given.text, Digest(pair.access.utf8).text, Digest(pair.refresh.utf8).text,
            ]
        ).first
        if let account = row?[0] { return .signedIn(account) }
        guard let error = row?[1] else { throw StoreFailure(.unavailable, "PostgreSQL: no outcome of a sign-in") }
        return .refused(error)
    }

    /// Keeps a code that is approved already, for a new device of a participant. Returns whether the participant is new, and
    /// the last day of the code.
    func enroll(
        _ deviceCode: Digest, participant: String, device: String, days: Int
    ) throws(StoreFailure) -> (isNew: Bool, until: String) {
        let row = try connection.rows(
            .enrollParticipant, [deviceCode.text, participant, device, String(days), SignInCode.random()]
        ).first
        return (row?[0] == "t", row?[1] ?? "")
    }

    /// Nil for an unknown name.
    func account(of participant: String) throws(StoreFailure) -> String? {
        try connection.rows(.accountOf, [participant]).first?[0]
    }

    /// Notes the version of the consent that a participant gave, from a UTC day on (nil: today); an empty one takes back
    /// that of the day.
    func note(consent version: String, of participant: String, since: String?) throws(StoreFailure) {
        try connection.rows(version.isEmpty ? .takeBackConsent : .noteConsent, [participant, since, version])
    }

    /// Approves a code for a participant's device. Returns whether the participant is new, and nil if no such code waits.
    func approve(_ code: String, participant: String, device: String) throws(StoreFailure) -> Bool? {
        try connection.rows(.approve, [code, participant, device]).first.map { $0[0] == "t" }
    }
}

extension PostgreSQLStatement {
    fileprivate static let keepCode = PostgreSQLStatement(
        name: "keep_code",
        sql: """
            WITH old AS (DELETE FROM sign_in WHERE expires_at < now())
            INSERT INTO sign_in(device_code, user_code, expires_at)
            SELECT decode($1, 'hex'), $2, now() + make_interval(secs => $3::integer)
            WHERE (SELECT count(*) FROM sign_in WHERE account IS NULL AND expires_at >= now()) < \(SignInCode.limit)
            RETURNING 1
            """)
    fileprivate static let redeem = giving("redeem_code")
    fileprivate static let refresh = giving("refresh_tokens")

    /// One of the functions that give tokens (`PostgreSQLSchema`).
    private static func giving(_ function: String) -> PostgreSQLStatement {
        PostgreSQLStatement(
            name: function,
            sql: """
                SELECT owner, error FROM \(function)(decode($1, 'hex'), decode($2, 'hex'), decode($3, 'hex'))
                """)
    }

    fileprivate static let endSignIn = PostgreSQLStatement(
        name: "end_sign_in", sql: "SELECT end_sign_in(decode($1, 'hex'))")
    fileprivate static let accountOf = PostgreSQLStatement(
        name: "account_of", sql: "SELECT account FROM participant WHERE name = $1")
    fileprivate static let noteConsent = PostgreSQLStatement(
        name: "note_consent",
        sql: """
            INSERT INTO consent(account, since, version)
            SELECT account, coalesce($2::date, current_date), $3 FROM participant WHERE name = $1
            ON CONFLICT (account, since) DO UPDATE SET version = excluded.version
            """)
    fileprivate static let takeBackConsent = PostgreSQLStatement(
        name: "take_back_consent",
        sql: """
            DELETE FROM consent USING participant
            WHERE consent.account = participant.account AND name = $1 AND since = coalesce($2::date, current_date) AND $3 = ''
            """)
    fileprivate static let enrollParticipant = PostgreSQLStatement(
        name: "enroll_participant",
        sql: """
            WITH added AS (
                INSERT INTO participant(name) VALUES ($2::text) ON CONFLICT (name) DO NOTHING RETURNING account
            ), named AS (
                SELECT account, true AS is_new FROM added UNION ALL SELECT account, false FROM participant WHERE name = $2
            ), kept AS (
                INSERT INTO sign_in(device_code, user_code, expires_at, account, device)
                SELECT decode($1, 'hex'), $5, now() + make_interval(days => $4::integer), account, $3 FROM named
                RETURNING expires_at
            )
            SELECT is_new, expires_at::date FROM named, kept
            """)
    fileprivate static let approve = PostgreSQLStatement(
        name: "approve",
        sql: """
            WITH waiting AS (
                SELECT device_code FROM sign_in WHERE user_code = $1 AND account IS NULL AND expires_at >= now() FOR UPDATE
            ), added AS (
                INSERT INTO participant(name) SELECT $2::text FROM waiting ON CONFLICT (name) DO NOTHING RETURNING account
            ), named AS (
                SELECT account, true AS is_new FROM added UNION ALL SELECT account, false FROM participant WHERE name = $2
            )
            UPDATE sign_in SET account = named.account, device = $3 FROM waiting, named
            WHERE sign_in.device_code = waiting.device_code RETURNING is_new
            """)
}
