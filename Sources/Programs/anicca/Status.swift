import ArgumentParser
import Commands

/// `anicca status`
struct Status: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Show collection, today's figures and delivery.",
        discussion: """
            First the state of aniccad and its start time, from its lock, which is right also after a kill. The rest \
            is read from the store and from the state that the daemon keeps until the next boot, so the command works \
            without the daemon. For a suspended domain the device is checked. Today's figures are those of the last \
            window. Times and days are UTC.

            With --json, daemon has running, starting (before collection begins), since, lastWindow and lastPulse; \
            toggles has reason and advice of suspended domains; delivery.next has the next action and its time. \
            Unknown values are omitted.

            Example:
              anicca status
              anicca status --json
            """)

    @OptionGroup var config: ConfigOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
        let installation = try config.installation()
        let ledger = try installation.openStore()
        try ledger.tellIfUntrusted()
        output.show(try StatusReport(ledger, installation).sections(.standardOutput))
    }
}
