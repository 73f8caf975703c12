import ArgumentParser
import Commands
import Config
import Delivery
import Store
import System

/// `anicca leave`
struct Leave: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "leave",
        abstract: "Leave the study: end the sign-in of this device, here and at the server.",
        discussion: """
            The people who run the study then see that this device left. The toggles stay as they are, and what is \
            collected stays on this device; without an account nothing is sent. On a terminal it asks what to do with \
            the data.

            Example:
              sudo anicca leave
              sudo anicca leave --last-delivery --yes # send first what is due
              sudo anicca leave --erase --yes # delete everything here, and ask the server to

            Exit status: 0 left, or stayed because you did not type yes; 64 no terminal for the questions, and no --yes; \
            69 no account is signed in, so nothing was erased; 75 the server could not be reached, or has not erased yet: the sign-in and the account stay; 78 the configuration names an account.
            """)

    @Flag(help: "First send what waits and is due.")
    var lastDelivery = false

    @Flag(help: "First delete everything on this device, as forget --all does, and have the server erase it.")
    var erase = false

    @Flag(help: "Ask no question.")
    var yes = false

    /// The step for which the process becomes the owner of the store, which cannot be undone.
    @Flag(help: .hidden)
    var onlyAtServer = false

    @OptionGroup var config: ConfigOptions

    func validate() throws {
        if lastDelivery, erase { throw ValidationError("give --last-delivery or --erase, not both") }
    }

    func run() throws {
        if onlyAtServer { return try endAtServer() }
        let settings = try readSettings(config.config)
        try refuseWhereAnotherCounts(settings, config)
        guard let wish = yes ? Wish(lastDelivery: lastDelivery, erase: erase) : try wish(in: .terminal) else {
            return tell("you did not leave")
        }
        if wish.erase {
            guard hasAccount(settings, config) else {
                throw Failure(
                    "no account is signed in, so no server can be asked to erase; this device alone: "
                        + aniccaCommand("forget --all"), .unavailable)
            }
            try finish(["forget", "--all", "--even-unknown", "--yes"])
            // Whether the server has erased, the last step finds out.
            _ = try run(["upload", "--now"])
        }
        if wish.lastDelivery { try finish(["upload", "--now"]) }
        try finish(["leave", "--only-at-server"] + (wish.lastDelivery ? ["--last-delivery"] : []))
        print(try removeAccount(settings, config) ? "left, and signed out" : "no account was signed in")
        tell("to stop collecting too, run: \(aniccaCommand("toggle DOMAIN off"))")
    }

    private struct Wish {
        var lastDelivery: Bool
        var erase: Bool
    }

    /// Nil to stay.
    private func wish(in prompt: Prompt?) throws(Failure) -> Wish? {
        guard let prompt else { throw Failure("there is no terminal to ask on; add --yes to leave", .usage) }
        var wish = Wish(lastDelivery: lastDelivery, erase: erase)
        if !lastDelivery, !erase {
            guard let erases = prompt.askYesOrNo("Delete everything, here and at the server?") else { return nil }
            wish.erase = erases
            if !erases {
                guard let sends = prompt.askYesOrNo("Send what waits, for the last time?") else { return nil }
                wish.lastDelivery = sends
            }
        }
        prompt.say("This ends the sign-in of this device, here and at the server.")
        return prompt.askYesOrNo("Type yes to leave") == true ? wish : nil
    }

    /// A step, with the rights of this process. Its output is a message here.
    private func run(_ words: [String]) throws(Failure) -> System.ExitCode {
        let (bytes, end) = try config.output(of: words, limit: 1 << 16)
        for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n") { tell(String(line)) }
        return end ?? .temporary
    }

    private func finish(_ words: [String]) throws(Failure) {
        let end = try run(words)
        guard end == .success else {
            throw Failure(
                "you did not leave yet, for the reason above; run this again later. "
                    + "\(aniccaCommand("sign-out")) leaves without a word to the server", end)
        }
    }

    private func endAtServer() throws {
        keepMemoryPrivate()
        prepareForPeers()
        let installation = try config.installation(withAccount: true)
        let userAgent = "anicca/\(aniccaVersion)"
        let context = SinkContext(
            installation.settings, account: try installation.account?.get(), userAgent: userAgent)
        do {
            let ledger = context.settings.store.exists ? try installation.openStore() : nil
            if let status = try ledger?.deliveryStatus() { try refuseToLeave(behind: status) }
            guard let account = try AccountFile.latest(context, in: ledger),
                let client = try TokenClient(context.settings, pinnedKey: account.pinnedKey, userAgent: userAgent)
            else { return }
            try client.end(account)
        } catch TokenClient.Refusal.notOffered {
            tell("the server does not end sign-ins; ask the people who run your study to")
        } catch let refusal as TokenClient.Refusal {
            throw Failure(refusal.text, .temporary)
        } catch let unusable as SinkUnusable {
            throw Failure(unusable.description, unusable.exitCode)
        }
    }

    /// After the end of the sign-in, nothing more can be sent or erased.
    private func refuseToLeave(behind status: DeliveryStatus) throws(Failure) {
        if lastDelivery, status.isPaused, status.queued > 0 {
            throw Failure(
                "the server refuses the token, so \(counted(status.queued, "record")) were not delivered", .temporary)
        }
        guard status.queuedErasures == 0 else {
            throw Failure(
                "the server has not erased yet what it was asked to erase: \(aniccaCommand("queue"))", .temporary)
        }
    }
}
