import ArgumentParser
import Commands
import Domains
import System
import Store

/// `anicca audit`
struct Audit: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "audit", abstract: "Print the consent trail: every change of what may be collected.",
        discussion: """
            Oldest first: the time, the actor (wearer, administrator or kernel), and the change with its old and new \
            value. Stored data names the entry under which it was collected. Entries are only ever added, and each \
            holds a keyed hash of the one before: --verify names changed, moved and removed entries, and reports a \
            missing end. Write down the head that it prints: a later trail that contains this head has lost no entry \
            since.

            Example:
              anicca audit
              anicca audit --verify
              anicca audit --json | jq -r '.[] | select(.by == "kernel") | .at'

            With --json, the output is an array of the entries; with --verify and --json, an object with the findings. \
            Exit status: 0 done, and with --verify intact; 65 broken.
            """)

    @Flag(help: "Check the chain of hashes instead of printing the entries.")
    var verify = false

    @OptionGroup var config: ConfigOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
        let ledger = try config.installation().openStore()
        if verify {
            try show(try read { () throws(LedgerError) in try ledger.verifyTrail() })
        } else {
            show(try read { () throws(LedgerError) in try ledger.trail() })
        }
    }

    private func read<Value>(_ body: () throws(LedgerError) -> Value) throws(Failure) -> Value {
        do {
            return try body()
        } catch .unreadable(let path, let row) {
            throw Failure(
                "\(LedgerError.unreadable(path: path, row: row))\n\(aniccaCommand("audit --verify")) lists all damage",
                .dataError)
        } catch {
            throw Failure(error)
        }
    }

    private func show(_ trail: [ConsentEntry]) {
        output.show(
            Listing(trail.map(\.fields)),
            orTell: "no permission was ever changed; to begin, run: \(aniccaCommand("setup"))")
    }

    private func show(_ report: TrailReport) throws(Failure) {
        output.show(
            report.json.description, or: report.findings.map { escapingControls("\($0)") } + [report.text])
        if !report.isIntact { throw Failure(report.complaint, .dataError) }
    }
}

extension ConsentEntry {
    /// In the form of `anicca audit`.
    fileprivate var fields: [Field] {
        let (what, from, to) = change.words
        return [
            Field("entry", id), Field("at", at, "when"), Field("by", by.description, "who"),
            Field("what", what, "what"), Field("from", from, "from"), Field("to", to, "to"),
            Field(label: "entry", "\(id)", .right),
        ]
    }

    /// In the form of `anicca audit --json`.
    var json: JSONObject { JSONObject(fields) }
}

extension ConsentChange {
    /// The subject of the change, with its old and new state.
    var words: (what: String, from: String, to: String) {
        switch self {
        case .toggle(let domain, let from, let to): ("\(domain) toggle", from ? "on" : "off", to ? "on" : "off")
        case .answer(let permission, let from, let to): ("\(permission) answer", from.description, to.description)
        case .obstacle(let domain, let from, let to):
            ("\(domain) device", from?.description ?? "usable", to?.description ?? "usable")
        case .forgotten(let domain): ("\(domain) data", "stored", "forgotten")
        case .part(let part, let domain, let from, let to):
            (domain.nameOfPart(part) ?? "a part of \(domain)", from ? "on" : "off", to ? "on" : "off")
        case .unknown: ("a change by a newer version", "unknown", "unknown")
        }
    }
}

extension TrailReport {
    /// One line, such as `6 entries, head 43c851b0d90e152c: intact`.
    var text: String {
        let count = "\(entries) \(entries == 1 ? "entry" : "entries")"
        let name = entries == 0 ? "" : ", head \(head)"
        return "\(count)\(name): \(isIntact ? "intact" : "broken")"
    }

    /// Whether the wearer has answered again since the state was found untrusted.
    var isLeftBehind: Bool {
        findings.contains { finding in
            if case .begunAnew = finding { true } else { false }
        }
    }

    fileprivate var complaint: String {
        let places = findings.count == 1 ? "one place" : "\(findings.count) places"
        return "the consent trail is broken in \(places): "
            + "the store was changed outside this program, or its card fails\n" + advice
    }

    /// The advice for a broken trail.
    var advice: String {
        "keep a copy of the store, and check your permissions: anicca permissions"
    }

    fileprivate var json: JSONObject {
        JSONObject(
            ("entries", entries), ("head", head), ("intact", isIntact),
            ("findings", findings.map { JSONObject(("finding", $0.description)) }))
    }
}
