"""The faults that are planted, and the campaign that has to find each."""

import dataclasses

FAULTS, TIME, MQTT, FLEET = "Tests/Faults", "Tests/Time", "Tests/MQTT", "Tests/Fleet"


@dataclasses.dataclass(frozen=True)
class Campaign:
    """What is run, in a folder of the copy. `{programs}` stands for the directory of the programs."""

    folder: str
    command: str
    environment: tuple = ()

    def __str__(self):
        words = [f"{name}={value}" for name, value in self.environment]
        return " ".join([*words, self.command.replace("python3 -m unittest ", "").replace("{programs}/", "")])


def suite(folder, tests, **environment):
    """Tests of a suite, by module and name."""
    return Campaign(folder, f"python3 -m unittest {tests}", tuple(sorted(environment.items())))


def faults(tests, only=None, seed=7):
    return suite(FAULTS, tests, FAULTS_SEED=str(seed), **({"FAULTS_ONLY": only} if only else {}))


def program(words):
    return Campaign(".", f"{{programs}}/{words}")


@dataclasses.dataclass(frozen=True)
class Canary:
    """A fault as a programmer could have made it."""

    name: str
    #: What does not hold any more.
    promise: str
    file: str
    #: Lines as they are, each once in the file, and what takes their place: it has to ask for `canary("name")`.
    edits: tuple
    campaign: Campaign
    #: What the campaign says when it fails for the right reason: a regular expression.
    says: str


CANARIES = [
    # -- Delivery

    Canary(
        "another-key-at-retry", "a retry goes under the key of the first attempt",
        "Sources/Delivery/Uploader+Record.swift",
        (("        var sendable = sendable\n",
          "        var sendable = sendable\n"
          '        if canary("another-key-at-retry"), record.state.isUnanswered {\n'
          '            sendable = SinkRecord(key: "\\(UInt8.random(in: 0...9))" + sendable.key.dropFirst(), content: sendable.content)\n'
          "        }\n"),),
        faults("test_server.ServerTest.test_a_cut_at_each_byte_of_the_answer", "byte 5 reset,byte 30 end"), "came under two keys"),
    Canary(
        "login-page-is-receipt", "a 2xx with a page is no receipt",
        "Sources/Delivery/Sinks/HTTPS/HTTPClient.swift",
        (("if beginning.isEmpty || (isJSON && !beginning.isNoJSON) {",
          'if canary("login-page-is-receipt") || beginning.isEmpty || (isJSON && !beginning.isNoJSON) {'),),
        faults("test_server.ServerTest.test_a_login_page_for_everything"), "records never came"),
    Canary(
        "redirect-followed", "a redirect is not followed",
        "Sources/Delivery/Sinks/HTTPS/HTTPClient.swift",
        (("try set(CURLOPT_FOLLOWLOCATION, 0)",
          'try set(CURLOPT_FOLLOWLOCATION, canary("redirect-followed") ? 1 : 0)'),),
        faults("test_server.ServerTest.test_a_redirect_is_not_followed"), "it followed"),
    Canary(
        "retry-after-ignored", "nothing is tried before Retry-After is over",
        "Sources/Delivery/Uploader+Record.swift",
        (("try hold(target, reason, after: retryAfter, over: record, answer.problem)",
          'try hold(target, reason, after: canary("retry-after-ignored") ? nil : retryAfter, over: record, answer.problem)'),),
        faults("test_waiting.WaitingTest.test_retry_after_holds_for_the_server", "429 3600 s,503 7200 s"), "before its time"),
    Canary(
        "unreachable-is-an-attempt", "an attempt is one that reached the server",
        "Sources/Core/Schedule/DeliveryOutcome.swift",
        (("case .unreachable: self = .unreachable",
          'case .unreachable: self = canary("unreachable-is-an-attempt") ? .retry(.usual) : .unreachable'),),
        faults("test_waiting.WaitingTest.test_what_does_not_reach_the_server_is_no_attempt"), "never came"),
    Canary(
        "401-retried", "after 401 nothing is sent until the credentials are others",
        "Sources/Core/Schedule/DeliveryOutcome.swift",
        (("case 401: self = .pausedUntilSignIn",
          'case 401: self = canary("401-retried") ? .retry(.usual) : .pausedUntilSignIn'),),
        faults("test_server.ServerTest.test_a_refused_token"), "asks again with a token that was refused"),
    Canary(
        "certificate-not-verified", "certificates are verified",
        "Sources/Delivery/Sinks/HTTPS/HTTPClient.swift",
        (("try set(CURLOPT_SSL_VERIFYPEER, 1)",
          'try set(CURLOPT_SSL_VERIFYPEER, canary("certificate-not-verified") ? 0 : 1)'),),
        faults("test_tls.TLSTest.test_certificates"), "self-signed"),
    Canary(
        "pin-not-compared", "the public key is one of the pins",
        "Sources/Delivery/Sinks/HTTPS/HTTPClient.swift",
        (("if let pin = security.pinnedPublicKey { try",
          'if let pin = security.pinnedPublicKey, !canary("pin-not-compared") { try'),),
        faults("test_tls.TLSTest.test_pins"), "- wrong"),
    Canary(
        "token-logged", "no message has the token",
        "Sources/Delivery/Sinks/HTTPS/HTTPClient.swift",
        (("try set(CURLOPT_HTTPAUTH, CURL_AUTH_BEARER)",
          'try set(CURLOPT_HTTPAUTH, CURL_AUTH_BEARER)\n'
          '        if canary("token-logged") { token.withCString { _ = write(STDERR_FILENO, $0.baseAddress, $0.count - 1) } }'),),
        faults("test_secrets.SaidTest.test_nothing_that_is_said_or_stored_has_a_secret", "honest"), "said: b'token"),
    Canary(
        "body-not-wiped", "what was delivered is wiped from memory",
        "Sources/Delivery/Uploader+Record.swift",
        # A copy that stays. Freed memory that is not overwritten may be in use again when the test looks.
        (("defer { overwriteFreedMemory() }",
          'defer { overwriteFreedMemory() }\n'
          '        if canary("body-not-wiped") { _ = Unmanaged.passRetained(message.body as AnyObject) }'),),
        faults("test_secrets.MemoryTest"), "copies of"),
    Canary(
        "consent-not-checked-when-sending", "what was turned off since it was queued is not sent",
        "Sources/Delivery/SendingConsent.swift",
        (("if forbidden.allows(domain) { return .refused }",
          'if canary("consent-not-checked-when-sending") { return .allowed }\n'
          '        if forbidden.allows(domain) { return .refused }'),),
        faults("test_server.ServerTest.test_what_was_turned_off_since_it_was_queued_is_not_sent"), "steps came"),
    Canary(
        "sent-before-noted", "what is sent was noted on the disk before",
        "Sources/Store/Ledger/Ledger.swift",
        (("PRAGMA synchronous = FULL;", 'PRAGMA synchronous = \\(canary("sent-before-noted") ? "OFF" : "FULL");'),),
        faults("test_faults.UploaderCalls.test_what_is_sent_is_on_the_disk_before"), "not on the disk"),

    Canary(
        "nudge-without-consent", "a nudge is played where the wearer agreed to alarms",
        "Sources/Agent/Alarm/AlarmDesk+Nudges.swift",
        (("guard isAllowed, player.hasLine else { return .alarmOff }",
          'guard canary("nudge-without-consent") || (isAllowed && player.hasLine) else { return .alarmOff }'),),
        faults("test_server.ServerTest.test_a_nudge_is_played_where_the_wearer_agreed_to_alarms"), "- off: nudges were"),

    # -- Broker

    Canary(
        "puback-not-awaited", "a record is delivered when its PUBACK is there",
        "Sources/Delivery/Sinks/MQTT/BrokerSession.swift",
        (("while puback?.message != message { try",
          'while !canary("puback-not-awaited"), puback?.message != message { try'),),
        suite(MQTT, "test_kills.KillTests.test_the_connection", MQTT_KILLS="24"), "every record arrives"),
    Canary(
        "broker-pin-not-compared", "the public key of a broker is one of the pins",
        "Sources/Delivery/Sinks/MQTT/BrokerTLS.swift",
        (("guard isRead == 1, owner.pins.contains(String(decoding: pin.dropLast(), as: UTF8.self)) else {",
          'guard canary("broker-pin-not-compared")\n'
          '            || (isRead == 1 && owner.pins.contains(String(decoding: pin.dropLast(), as: UTF8.self)))\n        else {'),),
        suite(MQTT, "test_broker_tls"), "test_pins"),
    Canary(
        "erasure-not-forwarded", "who forgets asks for erasure where it was sent",
        "Sources/Store/Ledger/Forget.swift",
        (("if case .sinks(let known, let evenUnknown) = asking {",
          'if case .sinks(let known, let evenUnknown) = asking, !canary("erasure-not-forwarded") {'),),
        suite(MQTT, "test_broker.ErasureTests"), "deliveredErasures|0 != 1"),

    # -- The store

    Canary(
        "rows-not-compared", "rows that were removed or put back are noticed",
        "Sources/Store/Ledger/Transaction.swift",
        (("let outside = present - mark.digest - digest",
          'let outside = canary("rows-not-compared") ? StoreDigest() : present - mark.digest - digest'),),
        faults("test_damage.DamageTest.test_damage_is_told_and_never_sent", ",".join(map(str, range(40)))), "not told|without a word"),
    Canary(
        "full-disk-is-success", "a disk that is full costs nothing that was sensed",
        "Sources/Sensing/Session/SensingService.swift",
        (("            if !storeIsFailing { note(.storeFailed(reason: \"\\(error)\")) }\n            storeIsFailing = true",
          '            if canary("full-disk-is-success") {\n                unsaved = Batch(checkpoint: [])\n                return nil\n            }\n'
          "            if !storeIsFailing { note(.storeFailed(reason: \"\\(error)\")) }\n            storeIsFailing = true"),),
        faults("test_full_disk.FullDiskTest.test_full_from_a_write_on", "100,250"), "for {"),
    Canary(
        "files-for-everybody", "the store's files are their owner's alone",
        "Sources/System/Files/FileOpening.swift",
        (("O_CLOEXEC | O_NONBLOCK | O_NOCTTY, mode)",
          'O_CLOEXEC | O_NONBLOCK | O_NOCTTY, canary("files-for-everybody") ? mode | 0o044 : mode)'),
         ("        forbidden = 0o077\n", '        forbidden = canary("files-for-everybody") ? 0 : 0o077\n')),
        faults("test_secrets.SaidTest.test_nothing_that_is_said_or_stored_has_a_secret", "honest"), "others may read"),
    Canary(
        "quarters-not-forgotten", "what is forgotten is in no later record",
        "Sources/Store/Ledger/Forget.swift",
        (("            try transaction.forgetQuarters(domains)",
          '            if !canary("quarters-not-forgotten") { try transaction.forgetQuarters(domains) }'),),
        suite(TIME, "test_trust.WithdrawnTests.test_what_is_forgotten_while_the_time_is_unknown_is_gone"), "not less than or equal to"),

    # -- Sensing and time

    Canary(
        "toggle-off-ignored", "a domain that is turned off while the daemon runs is not collected",
        "Sources/Sensing/Session/SensingService.swift",
        (("        unsaved.keep(domainsWhere: order.keeps)",
          '        if canary("toggle-off-ignored"), let before = session.order, order.domains.isSubset(of: before.domains) { return }\n'
          "        unsaved.keep(domainsWhere: order.keeps)"),),
        suite(TIME, "test_reports"), "test_off_nothing_is_read"),
    Canary(
        "pulses-doubled-by-a-restart", "a restart counts no pulse twice",
        "Sources/Domains/Kit/Daybook.swift",
        (("figure: figure, counted: try unpacker.takeShortAmount(),",
          'figure: figure, counted: try unpacker.takeShortAmount() * (canary("pulses-doubled-by-a-restart") ? 2 : 1),'),),
        faults("test_restarts.RestartTest.test_killed_while_somebody_walks", "44400,44700,71580,71700"), r"\d+ pulses of \d+"),
    Canary(
        "coordinates-without-their-scope", "no coordinate is kept that the wearer did not agree to",
        "Sources/Domains/Location/LocationCollector.swift",
        (("keepsCoordinates = scope.contains(.coordinates)",
          'keepsCoordinates = scope.contains(.coordinates) || canary("coordinates-without-their-scope")'),),
        suite(TIME, "test_places.ConsentTest.test_without_the_scope_no_coordinate_is_stored_and_with_it_they_are"), "AssertionError"),
    Canary(
        "a-step-too-many", "each step is counted once",
        "Sources/Domains/Kit/Daybook.swift",
        (("case .each(let times): for time in times { take(&self, 1, time) }",
          'case .each(let times):\n            for time in times { take(&self, 1, time) }\n'
          '            if canary("a-step-too-many"), let last = times.last { take(&self, 1, last) }'),),
        program("anicca-lab clocks --seeds 1-4"), "steps"),
    Canary(
        "minutes-doubled", "sedentaryMinutes are the minutes spent",
        "Sources/Domains/Kit/Daybook.swift",
        (("take(&self, (stop - from).nanoseconds, from)",
          'take(&self, (stop - from).nanoseconds * (canary("minutes-doubled") ? 2 : 1), from)'),),
        program("anicca-lab demo --days 2"), "sedentary minutes arrived"),
    Canary(
        "day-begins-an-hour-early", "a day is that of UTC",
        "Sources/Core/Timekeeping/BootHistory.swift",
        (("UTCDay(containing: WallTime(nanoseconds: began + middle))",
          'UTCDay(containing: WallTime(nanoseconds: began + middle + (canary("day-begins-an-hour-early") ? 3_600_000_000_000 : 0)))'),),
        program("anicca-lab clocks --seeds 1-4"), "steps|minutes"),
    Canary(
        "clock-steps-unnoticed", "a trusted clock that steps moves what was dated by it",
        "Sources/Core/Timekeeping/TrustedClock.swift",
        (("if let known, known.source == source, !known.differs(from: shown) {",
          'if let known, known.source == source, canary("clock-steps-unnoticed") || !known.differs(from: shown) {'),),
        suite(TIME, "test_steps_of_the_clock.StepTests.test_ahead_by_years_for_a_day_without_an_uploader"), "AssertionError"),
    Canary(
        "unsynchronised-clock-believed", "a clock that nobody vouches for dates nothing",
        "Sources/Core/Timekeeping/TrustedClock.swift",
        (("if now.isSynchronised {", 'if now.isSynchronised || canary("unsynchronised-clock-believed") {'),),
        program("anicca-lab clocks --seeds 1-4"), "fails on"),
    Canary(
        "lying-clock-deletes", "a clock that has just leapt deletes nothing",
        "Sources/Core/Timekeeping/BootHistory.swift",
        (("guard boots.last?.log.clock != nil else { return false }",
          'guard boots.last?.log.clock != nil else { return false }\n        if canary("lying-clock-deletes") { return true }'),),
        suite(TIME, "test_steps_of_the_clock.LiesThatDeleteNothing.test_of_two_boots_in_a_row"), "AssertionError|KeyError"),

    # -- The server of a fleet

    Canary(
        "known-key-kept-again", "a key that was kept is not kept again",
        "Sources/Programs/anicca-receiver/Store/PostgreSQL/PostgreSQLStore+Keeping.swift",
        (('private static let isNew = "JOIN claimed ON claimed.account = owner AND claimed.key = sent.key AND repeats = 0"',
          'private static let isNew = "JOIN claimed ON claimed.account = owner AND claimed.key = sent.key"\n'
          '        + (canary("known-key-kept-again") ? "" : " AND repeats = 0")'),),
        suite(FLEET, "test_front.FrontTests.test_a_record_is_kept_once_however_often_it_comes"), "AssertionError"),
    Canary(
        "answered-before-the-commit", "what was answered with 2xx is kept",
        "Sources/Programs/anicca-receiver/Service/Intake.swift",
        (("        for (waiting, outcome) in zip(batch, await outcomes(of: batch.map(\\.submission), on: lane)) {",
          '        if canary("answered-before-the-commit") {\n'
          "            for waiting in batch { answer(waiting.number, .success(.stored)) }\n"
          "            _ = await outcomes(of: batch.map(\\.submission), on: lane)\n"
          "            idle.append(lane)\n            return startBatches()\n        }\n"
          "        for (waiting, outcome) in zip(batch, await outcomes(of: batch.map(\\.submission), on: lane)) {"),),
        suite(FLEET, "test_fleet.FailureTests.test_the_database_is_killed_and_comes_back", DEVICES="100"), "AssertionError"),
    Canary(
        "any-token-will-do", "a token that nobody was given hears 401",
        "Sources/Programs/anicca-receiver/Store/PostgreSQL/PostgreSQLStore+Keeping.swift",
        (('case ("f", _, _, _, _): .unknownSender', 'case ("f", _, _, _, _): canary("any-token-will-do") ? .known : .unknownSender'),),
        suite(FLEET, "test_front.FrontTests.test_a_device_without_a_token_or_with_another_hears_401"), "401"),
]
