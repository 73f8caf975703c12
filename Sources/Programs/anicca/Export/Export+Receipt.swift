import Commands
import Domains
import Store
import Sensing
import System
import Core
import Delivery

extension ExportContents {
    /// `receipt.json`: the agreements, with their persons, dates and texts, in a form based on ISO/IEC TS 27560.
    func receipt() throws(LedgerError) -> JSONObject {
        let consent = try ledger.consent()
        let entries = try ledger.readableTrail().entries
        let answered = Permission.all.filter { permission in entries.contains { $0.isAnswer(to: permission) } }
        let receivers = [settings.server.baseURL, settings.mqtt.broker].compactMap { $0 }
        let controller = settings.controller
        return JSONObject(
            ("form", "after ISO/IEC TS 27560:2023"), ("receiptVersion", 2), ("issued", now.wall),
            ("receiptId", receiptID(entries)), ("issuer", "anicca \(aniccaVersion)"), ("trusted", consent.isTrusted),
            ("piiPrincipal", userID ?? "the wearer of this device, not signed in"),
            ("piiController", receivers.isEmpty ? "none: no server is configured" : receivers.joined(separator: ", ")),
            ("controllerContact", controller.contact ?? "not stated: [server] contact is not set"),
            ("privacyPolicy", controller.policy ?? "not stated: [server] privacy-policy is not set"),
            ("jurisdiction", controller.jurisdiction ?? "not stated: [server] jurisdiction is not set"),
            ("records", answered.map { record(of: $0, consent.state, entries) }))
    }

    /// Differs between receipts of other times or other trails.
    private func receiptID(_ entries: [ConsentEntry]) -> String {
        let content = "\(now.wall) " + entries.map(\.json.description).joined()
        return hexadecimal(Vault.sha256(Array(content.utf8)).prefix(16))
    }

    /// The account that owns the data; nil while nobody is signed in.
    private var userID: String? {
        // `try?`: an account that does not open counts as missing here.
        settings.account.userID ?? (try? installation.account?.get() ?? AccountFile.read(settings))?.userID
    }

    private func record(
        of permission: Permission, _ state: ConsentState, _ entries: [ConsentEntry]
    ) -> JSONObject {
        let domains = permission.collectedDomains
        let answer = state.answer(to: permission)
        return JSONObject(
            ("permission", permission), ("state", answer.description),
            ("givenBy", state.answeredBy(permission).description),
            ("since", entries.last { $0.isAnswer(to: permission) }?.at), ("offered", answer.offered.description),
            ("purposes", domains.map { purpose(of: $0, answer.agreement) }),
            ("retentionDays", settings.store.historyDays), ("storage", "encrypted on this device"),
            ("withdrawal", "anicca permissions deny \(permission)"), ("notice", notice(of: permission, domains)),
            ("events", entries.filter { $0.concerns(permission) }.map(\.json)))
    }

    private func purpose(of domain: Domain, _ agreed: Scope) -> JSONObject {
        let kinds =
            domain.figures.map { ($0.description, $0.meaning, $0.isInRecord) }
            + domain.events.map { ($0.description, $0.meaning, true) }
            + domain.books.map { ($0.name, $0.meaning, false) }
        return JSONObject(
            ("domain", domain), ("purpose", domain.words.purpose),
            ("agreedTo", agreed.intersection(domain.wholeScope).description), ("collected", domain.words.collected),
            ("collectionMethod", linuxHandlers(settings).first { $0.domain == domain }?.device ?? "none"),
            ("sensitivity", domain.sensitivity),
            (
                "dataCategories",
                kinds.map { JSONObject(("name", $0), ("meaning", $1), ("sent", $2)) }
            ))
    }

    /// The text of the question, which depends on the version, the settings and the offered scope.
    private func notice(of permission: Permission, _ domains: [Domain]) -> JSONObject {
        let question = ConsentQuestion(permission: permission, domains: domains, alone: domains, settings: settings)
        let text = question.lines.joined(separator: "\n")
        return JSONObject(
            ("version", aniccaVersion), ("language", "en"), ("text", text),
            ("sha256", hexadecimal(Vault.sha256(Array(text.utf8)))))
    }
}

extension Domain {
    /// In terms of the General Data Protection Regulation, as far as they exist.
    fileprivate var sensitivity: String {
        let ofHealth = "special category: data concerning health (GDPR, article 9)"
        if words.isOfHealth { return ofHealth }
        return switch hardware {
        case .accelerometer, .stepSensor, .gauge, .pulseOximeter: ofHealth
        case .gpsd: "no special category, but places may reveal one"
        case .companionInbox, .outputLine, .nothing: "no special category"
        }
    }
}
