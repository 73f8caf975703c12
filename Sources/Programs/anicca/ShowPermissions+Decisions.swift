import ArgumentParser
import Commands
import Domains
import Store
import Sensing
import System
import Core

extension ShowPermissions {
    /// `anicca permissions deny`
    struct Deny: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "deny", abstract: "Withdraw a permission; its domains are turned off.",
            discussion: """
                Unsent data is not sent. anicca forget deletes stored data.

                Example:
                  anicca permissions deny health
                """)

        @Argument(help: "The permission.")
        var permission: Permission

        @OptionGroup var config: ConfigOptions
        @OptionGroup var output: OutputOptions

        func run() throws {
            try Decision(permission: permission, answer: .declined).carryOut(config.installation(), output)
        }
    }

    /// `anicca permissions reset`
    struct Reset: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "reset",
            abstract: "Withdraw an answer, so that the question can be asked again; its domains are turned off.",
            discussion: """
                Example:
                  anicca permissions reset motion
                """)

        @Argument(help: "The permission.")
        var permission: Permission

        @OptionGroup var config: ConfigOptions
        @OptionGroup var output: OutputOptions

        func run() throws {
            try Decision(permission: permission, answer: .notAsked).carryOut(config.installation(), output)
        }
    }
}

extension ShowPermissions {
    /// `anicca permissions dismiss`
    struct Dismiss: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "dismiss", abstract: "End the reminders that a kind of data was refused or is suspended.",
            discussion: """
                The commands that show data remind of it at most once a week. anicca status, permissions and doctor \
                show it as before.

                Example:
                  anicca permissions dismiss location
                """)

        @Argument(help: "The kind of data.")
        var domain: Domain

        @OptionGroup var config: ConfigOptions

        func run() throws {
            let installation = try config.installation()
            _ = try installation.openStore()
            try failing(with: .cannotCreate) {
                var reminders = try Reminders(installation)
                try reminders.dismiss(domain)
            }
            print("no command reminds of \(domain) any more")
        }
    }
}

/// A change of an answer by the wearer without a question.
private struct Decision {
    let permission: Permission
    let answer: Answer

    func carryOut(_ installation: Installation, _ output: OutputOptions) throws {
        let registry = try installation.openRegistry()
        let isNew: Bool
        let before: DomainSet
        do {
            try registry.refresh()
            before = registry.consent.state.toggles
            isNew = try registry.decide(permission, answer, at: Instant.now.wall)
            for domain in permission.domains where isNew && domain.leastScope != domain.wholeScope {
                try installation.narrowTraces(of: domain, in: registry)
            }
        } catch {
            throw Failure(error).adding(howToStopAtOnce)
        }
        let isGranted = answer == .notAsked && registry.consent.state.answer(to: permission) != .notAsked
        output.show(json(isNew), or: text(isNew, before, isGranted: isGranted))
        if isGranted {
            tell("[consent] granted names \(permission), so the config answers again; remove it there to be asked")
        }
    }

    /// - Parameters:
    ///   - before: the toggles before. A domain of another version is named if it was on.
    ///   - isGranted: whether the config gives the answer that the wearer withdrew.
    private func text(_ isNew: Bool, _ before: DomainSet, isGranted: Bool) -> String {
        let standing = answer == .declined ? "denied" : isGranted ? "answered by the config" : "not answered"
        guard isNew else { return "\(permission) is \(standing) already" }
        let domains = permission.domains.filter { $0.isCollected || before.allows($0) }
        guard !domains.isEmpty else {
            return "\(permission) is \(standing) now; this version collects nothing that needs it"
        }
        let toggles = domains.map { "\($0) is off" }.joined(separator: ", ")
        let result = "\(permission) is \(standing) now: \(toggles)"
        if isGranted { return result }
        let next = answer == .declined ? "permissions reset \(permission)" : "setup"
        return "\(result); to be asked again: \(aniccaCommand(next))"
    }

    private func json(_ isNew: Bool) -> JSONObject {
        JSONObject(("permission", permission), ("answer", answer.description), ("changed", isNew))
    }
}
