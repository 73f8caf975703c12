import ArgumentParser
import Commands

/// `anicca status`
struct Status: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Show what is collected, today's figures, and how delivery is doing.",
        discussion: """
            First whether aniccad runs, and since when: its lock tells, also after it was killed. Everything else is read from \
            the store and from the state that the daemon keeps until the next boot, so it works whether the daemon runs or not; \
            of what is suspended the device is looked at. Today's figures are those of the last window. Times and days are UTC.

            With --json, daemon has running, starting while it has not begun to collect, since, lastWindow and lastPulse; a \
            suspended kind of data has its reason and advice in toggles; and delivery.next says what comes next and when. What is \
            not known is left out.

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
