import ArgumentParser
import Consent
import Delivery
import Hosting
import Ledger
import Quantities

/// `anicca toggle`
struct Toggle: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Allow or forbid one kind of data.",
        discussion: """
            Writes what you decided into the consent trail and tells the daemon, which follows at once; where none runs, \
            it follows at its next start. What was collected but not yet sent when a domain goes off is not sent.

            Example:
              anicca toggle motion on
              anicca toggle steps off
            """)

    enum Position: String, CaseIterable, ExpressibleByArgument {
        case on
        case off
    }

    @Argument(help: "What to allow or forbid.")
    var domain: Domain

    @Argument(help: "Allow it or forbid it.")
    var position: Position

    @OptionGroup var config: ConfigOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
        let settings = try config.settings()
        let ledger = try settings.openStore()
        let outcome = try set(in: ledger)
        if outcome.isNew { ring(settings) }
        print(output.json ? outcome.json.description : outcome.text)
    }

    private func set(in ledger: Ledger) throws(Failure) -> Outcome {
        do {
            let isOn = position == .on
            let isNew = try ledger.toggles().allows(domain) != isOn
            try ledger.setToggle(domain, on: isOn, at: Instant.now.wall, by: .wearer)
            return Outcome(
                domain: domain, isOn: isOn, isNew: isNew, since: try ledger.currentEntry(for: domain)?.at)
        } catch {
            throw Failure(error)
        }
    }

    /// Nothing is lost when nobody hears the bell: the toggle is in the store.
    private func ring(_ settings: Settings) {
        do {
            try Bell.daemon(in: settings.bellDirectory).ring()
        } catch .absent {
            tell("aniccad is not running (no \(settings.bellDirectory)); it follows at its next start")
        } catch {
            tell("aniccad could not be told: \(error); it follows at its next start or systemctl reload aniccad")
        }
    }
}

extension Toggle {
    /// What has become of the toggle.
    fileprivate struct Outcome {
        let domain: Domain
        let isOn: Bool
        /// Whether it was different before.
        let isNew: Bool
        /// Nil when it was never turned on.
        let since: WallTime?

        var text: String {
            let position = isOn ? "on" : "off"
            guard isNew else { return "\(domain) is \(position) already" + (since.map { ", since \($0)" } ?? "") }
            return "\(domain) is \(position) now: \(domain.consequence(isOn: isOn))"
        }

        var json: JSONObject {
            var json = JSONObject()
            json.put("domain", domain.description)
            json.put("on", isOn)
            json.put("changed", isNew)
            if let since { json.put("since", since.description) }
            return json
        }
    }
}

extension Domain {
    /// What turning the domain on or off leads to.
    fileprivate func consequence(isOn: Bool) -> String {
        switch (self, isOn) {
        case (.motion, true): "the accelerometer is read, and sedentaryMinutes joins the daily record"
        case (.motion, false): "the accelerometer sleeps, and what was not sent of sedentaryMinutes is not sent"
        case (.steps, true): "step pulses are counted, and steps joins the daily record"
        case (.steps, false): "the step line is released, and what was not sent of steps is not sent"
        case (.sleep, true), (.screenTime, true), (.location, true), (.alarm, true):
            "noted; this version does not collect it yet"
        case (.sleep, false), (.screenTime, false), (.location, false), (.alarm, false):
            "what was not sent of it is not sent"
        }
    }
}
