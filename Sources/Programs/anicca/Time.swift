import ArgumentParser
import Commands
import Config
import Store
import System
import Core

/// `anicca time`
struct Time: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "time", abstract: "Show whether the clock is trusted, or confirm its time.",
        discussion: """
            A board without a battery-backed clock starts at a wrong date. No day is closed, sent or deleted until the \
            date is known: the kernel reports a synchronised clock, a hardware clock is trusted ([time] trust), or you \
            confirm it:
              date -u # is it right?
              sudo anicca time confirm # it is, until the next boot
            """,
        subcommands: [ShowTime.self, ConfirmTime.self], defaultSubcommand: ShowTime.self)
}

/// `anicca time show`
struct ShowTime: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show whether the clock is trusted, and its source.")

    @OptionGroup var config: ConfigOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
        let installation = try config.installation()
        let now = Instant.now
        let clock = try installation.knownClock(of: installation.openStore(), at: now)
        let (time, since) = (clock?.time(at: now.boot).wall, clock.map { $0.time(at: $0.since).wall })
        let told = time.flatMap { time in since.map { "\(time), says \(clock?.source ?? .kernel) since \($0)" } }
        output.show(
            JSONObject(("trusted", clock != nil), ("source", clock?.source.name), ("now", time), ("since", since)),
            or: told ?? "the clock shows \(now.wall), but it is not synchronised")
        if clock == nil, !output.json { tell("if it is, run: sudo \(aniccaCommand("time confirm"))") }
    }
}

/// `anicca time confirm`
struct ConfirmTime: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "confirm",
        abstract: "Confirm the clock's time, until the next boot.",
        discussion: """
            For a board with a clock set by hand, without a reachable time server. Data that waited for a date is then \
            dated. After setting the clock again, confirm it again.

            Exit status: 65 the clock shows an impossible time, before 2025 or after 2099.
            """)

    @OptionGroup var config: ConfigOptions

    func run() throws {
        let installation = try config.installation()
        let ledger = try installation.openStore()
        let now = Instant.now
        guard let clock = TrustedClock.confirm(now) else {
            throw Failure(
                "the clock shows \(now.wall), which is impossible: set it first, for example with date -u -s",
                .dataError)
        }
        try ledger.vouch(for: BootReading(id: try thisBoot(), seen: now.boot, clock: clock))
        DaemonCall(installation.settings).signal()
        print("\(clock.time(at: now.boot).wall) is right until the next boot")
    }
}

extension Installation {
    /// The known clock of this boot.
    func knownClock(of ledger: Ledger, at now: Instant) throws -> TrustedClock? {
        TrustedClock.judge(now, settings.time, known: try ledger.clock(of: try thisBoot()))
    }
}
