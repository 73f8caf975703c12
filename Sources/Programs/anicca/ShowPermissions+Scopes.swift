import ArgumentParser
import Commands
import Domains
import System
import Store
import Sensing
import Core

extension ShowPermissions {
    /// `anicca permissions expand`
    struct Expand: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "expand", abstract: "Extend an agreement that was partial.",
            discussion: """
                You are asked once, on a terminal only, about the missing part: the rest of this kind of data or, if \
                you agreed to all of it, of its permission. Earlier agreement stays in any case. No toggle is turned.

                Example:
                  anicca permissions expand location
                  anicca permissions expand sleep --agree # the wearer agreed before

                Exit status: as that of anicca toggle.
                """)

        @Argument(help: "The kind of data.")
        var domain: Domain

        @Flag(help: "The wearer agrees to the missing part; no question is asked.")
        var agree = false

        @OptionGroup var config: ConfigOptions
        @OptionGroup var output: OutputOptions

        func run() throws {
            let flow = try ConsentFlow(config.installation())
            let outcome = try flow.expand(domain, agrees: agree)
            try ScopeReport(domain, outcome, flow.registry.consent.state, isWider: true).tell(output)
        }
    }

    /// `anicca permissions narrow`
    struct Narrow: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "narrow", abstract: "Reduce an agreement to the smallest scope of one kind of data.",
            discussion: """
                Stored data that is no longer covered is deleted from this device: for location the coordinates; \
                visits and events stay. The daemon applies the change at once. The toggle stays as it is.

                Example:
                  anicca permissions narrow location

                Exit status: 64 there is no smaller scope; 75 the store is busy or full and nothing was changed, or \
                traces could not be wiped from the files: run it again.
                """)

        @Argument(help: "The kind of data.")
        var domain: Domain

        @OptionGroup var config: ConfigOptions
        @OptionGroup var output: OutputOptions

        func validate() throws {
            guard domain.leastScope == domain.wholeScope else { return }
            throw ValidationError("\(domain) has no parts; to end it: anicca toggle \(domain) off")
        }

        func run() throws {
            let installation = try config.installation()
            let registry = try installation.openRegistry()
            let outcome: ScopeOutcome
            do {
                outcome = try registry.narrow(domain, at: Instant.now.wall)
                try installation.narrowTraces(of: domain, in: registry)
            } catch {
                throw Failure(error).adding(howToStopAtOnce)
            }
            let isScrubbed = registry.ledger.scrub()
            try ScopeReport(domain, outcome, registry.consent.state, isWider: false).tell(output)
            if !isScrubbed { throw Failure(tracesRemain, .temporary) }
        }
    }
}

extension Installation {
    /// Reduces the state of a stopped daemon to the present scope, because it cannot do so itself.
    func narrowTraces(of domain: Domain, in registry: PermissionRegistry) throws(LedgerError) {
        let scope = registry.consent.state.answer(to: domain.permission).agreement
        RunningState.erase(RunningState.path(in: settings.wakeFileDirectory))
        try registry.ledger.rewriteState { [settings] checkpoint in
            SensingSession.narrowing(domain, to: scope, in: checkpoint, rules: SensingRules(settings), at: Instant.now)
        }
        DaemonCall(settings).signal()
    }
}

/// The outcome of `expand` or `narrow`.
private struct ScopeReport {
    private let domain: Domain
    private let outcome: ScopeOutcome
    private let state: ConsentState
    private let isWider: Bool

    init(_ domain: Domain, _ outcome: ScopeOutcome, _ state: ConsentState, isWider: Bool) {
        self.domain = domain
        self.outcome = outcome
        self.state = state
        self.isWider = isWider
    }

    func tell(_ output: OutputOptions) throws(Failure) {
        try output.show(json, or: text, unless: failure)
    }

    /// The whole agreed scope of the permission, as text.
    private var agreed: String { state.answer(to: domain.permission).agreement.description }

    private var text: String {
        switch outcome {
        case .changed: "\(domain.permission): you agree to \(isWider ? "" : "no more than ")\(agreed) now\(hint)"
        case .already:
            "\(domain.permission): you agreed to \(isWider ? "all of it" : "no more than \(agreed)") already\(hint)"
        case .declined, .leftOpen: "nothing is changed: you agree to \(agreed), as before"
        case .cannotAsk:
            "not changed: there is no terminal for the question; if the wearer has agreed, run: "
                + "anicca permissions expand \(domain) --agree"
        case .refused(let status, let reason, let advice):
            escapingControls("nothing is changed, \(domain) is \(status): \(reason)") + "\n" + escapingControls(advice)
        }
    }

    /// The wearer may want to turn on a domain that is agreed to but off.
    private var hint: String {
        guard isWider, !state.toggles.allows(domain), state.status(of: domain).allowsCollection else { return "" }
        return "; \(domain) is off: anicca toggle \(domain) on"
    }

    private var failure: Failure? {
        switch outcome {
        case .changed, .already: nil
        case .declined: Failure(text, .noPermission)
        case .leftOpen, .cannotAsk: Failure(text, .consentNeeded)
        case .refused(.unsupported, _, _): Failure(text, .unavailable)
        case .refused(.notDetermined, _, _): Failure(text, .consentNeeded)
        case .refused: Failure(text, .noPermission)
        }
    }

    private var json: JSONObject {
        JSONObject(
            ("domain", domain), ("permission", domain.permission), ("agreed", agreed),
            ("changed", outcome == .changed), ("status", state.status(of: domain).description))
    }
}
