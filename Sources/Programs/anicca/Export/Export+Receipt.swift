import Consent
import Domains
import Ledger
import Permissions
import Program
import Quantities
import Sinks
import Vault

extension ExportContents {
    /// `receipt.json`: who agreed to what, since when and under which text, in a form after ISO/IEC TS 27560.
    func receipt() throws(LedgerError) -> JSONObject {
        let consent = try ledger.consent()
        let entries = try ledger.readableTrail().entries
        let answered = Permission.all.filter { permission in entries.contains { $0.isAnswer(to: permission) } }
        let receivers = [settings.server.baseURL, settings.mqtt.broker].compactMap { $0 }
        var json = JSONObject()
        json.put("form", "after ISO/IEC TS 27560:2023")
        json.put("receiptVersion", 2)
        json.put("issued", now.wall.description)
        json.put("receiptId", receiptID(entries))
        json.put("issuer", "anicca \(aniccaVersion)")
        json.put("trusted", consent.isTrusted)
        json.put("piiPrincipal", userID ?? "the wearer of this device, not signed in")
        json.put("piiController", receivers.isEmpty ? "none: no server is named" : receivers.joined(separator: ", "))
        json.put("controllerContact", settings.controller.contact ?? "not told: [server] contact is not set")
        json.put("privacyPolicy", settings.controller.policy ?? "not told: [server] privacy-policy is not set")
        json.put("jurisdiction", settings.controller.jurisdiction ?? "not told: [server] jurisdiction is not set")
        json.put("records", answered.map { record(of: $0, consent.state, entries) })
        return json
    }

    /// Other receipts have another one: of another time, or another trail.
    private func receiptID(_ entries: [ConsentEntry]) -> String {
        let content = "\(now.wall) " + entries.map(\.json.description).joined()
        return hexadecimal(Array(Vault.sha256(Array(content.utf8)).prefix(16)))
    }

    /// The account whose data it is; nil while nobody is signed in.
    private var userID: String? {
        if let known = settings.account.userID { return known }
        do {
            return try (installation.account?.get() ?? AccountFile.read(settings))?.userID
        } catch {
            return nil
        }
    }

    private func record(
        of permission: Permission, _ state: ConsentState, _ entries: [ConsentEntry]
    ) -> JSONObject {
        let domains = permission.collectedDomains
        let answer = state.answer(to: permission)
        var json = JSONObject()
        json.put("permission", permission.description)
        json.put("state", answer.description)
        json.put("givenBy", state.answeredBy(permission).description)
        if let last = entries.last(where: { $0.isAnswer(to: permission) }) { json.put("since", last.at.description) }
        json.put("offered", answer.offered.description)
        json.put("purposes", domains.map { purpose(of: $0, answer.agreement) })
        json.put("retentionDays", settings.store.historyDays)
        json.put("storage", "encrypted on this device")
        json.put("withdrawal", "anicca permissions deny \(permission)")
        json.put("notice", notice(of: permission, domains))
        json.put("events", entries.filter { $0.concerns(permission) }.map(\.json))
        return json
    }

    private func purpose(of domain: Domain, _ agreed: Scope) -> JSONObject {
        var json = JSONObject()
        json.put("domain", domain.description)
        json.put("purpose", domain.words.purpose)
        json.put("agreedTo", agreed.intersection(domain.wholeScope).description)
        json.put("collected", domain.words.collected)
        json.put("collectionMethod", linuxHandlers(settings).first { $0.domain == domain }?.device ?? "none")
        json.put("sensitivity", domain.sensitivity)
        let kinds =
            domain.figures.map { ($0.description, $0.meaning, $0.isSent) }
            + domain.events.map { ($0.description, $0.meaning, true) }
            + BookKind.all.filter { $0.domain == domain }.map { ($0.name, $0.meaning, false) }
        json.put(
            "dataCategories",
            kinds.map { name, meaning, isSent in
                var json = JSONObject()
                json.put("name", name)
                json.put("meaning", meaning)
                json.put("sent", isSent)
                return json
            })
        return json
    }

    /// The text of the question, which follows from the version, the settings and what was offered.
    private func notice(of permission: Permission, _ domains: [Domain]) -> JSONObject {
        let question = ConsentQuestion(permission: permission, domains: domains, alone: domains, settings: settings)
        let text = question.lines.joined(separator: "\n")
        var json = JSONObject()
        json.put("version", aniccaVersion)
        json.put("language", "en")
        json.put("text", text)
        json.put("sha256", hexadecimal(Vault.sha256(Array(text.utf8))))
        return json
    }
}

extension Domain {
    /// In the words of the General Data Protection Regulation, as far as it has some.
    fileprivate var sensitivity: String {
        switch hardware {
        case .accelerometer, .stepSensor: "special category: data concerning health (GDPR, article 9)"
        case .gpsd: "no special category, but places may tell of one"
        case .companionInbox, .outputLine, .nothing: "no special category"
        }
    }
}
