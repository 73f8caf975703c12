import ArgumentParser
import Commands
import Config
import Domains
import System
import Store
import Sensing
import Core
import Simulation

/// `anicca-lab toggle`
struct Turn: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "toggle",
        abstract: "Turn a domain on or off, as if the wearer agreed and the sensors were there.",
        discussion: """
            For the store of anicca-lab daemon. The wearer counts as having agreed to all that the permission covers; \
            no sensor, receiver or motor is looked for, only the inbox of the phone. In all else it is anicca toggle: \
            the consent trail has it, and a running daemon follows at once.

            Example:
              anicca-lab toggle --config my.conf motion on

            Exit status: 0 done, 77 forbidden or denied, 69 the hardware or the store is not there.
            """)

    enum Position: String, CaseIterable, ExpressibleByArgument {
        case on
        case off
    }

    @Argument(help: "The domain.")
    var domain: Domain

    @Argument(help: "Its new position.")
    var position: Position

    @Option(
        help: ArgumentHelp(
            "The configuration [\(Settings.defaultPath)]; FILE.d/*.conf is read after it.", valueName: "file"))
    var config: String?

    func run() throws {
        let settings = try readSettings(config)
        do {
            try report(try turn(settings))
            try WakeFile.daemon(in: settings.wakeFileDirectory).signal()
        } catch let error as LedgerError {
            throw Failure(error)
        } catch let error as VaultError {
            throw Failure("\(error)", .noPermission)
        } catch let error as FileError {
            tell("\(error); the daemon follows when it looks next")
        }
    }

    private func turn(_ settings: Settings) throws -> TurnOutcome {
        let vault = try Vault.load(
            credentialDirectory: Vault.credentialDirectory, keyFile: settings.store.keyFile, createIfMissing: false)
        let handlers = linuxHandlers(settings).map { handler -> any PermissionHandler in
            handler.domain.hardware == .companionInbox ? handler : SimulatedHandler(handler.domain)
        }
        let registry = PermissionRegistry(
            ledger: try Ledger.open(
                path: settings.store.ledgerPath, vault: vault, role: .visitor, settleTime: settings.consent.settleTime),
            handlers: handlers, policy: settings.consent)
        return try registry.turn(domain, on: position == .on, at: Instant.now.wall) { permission, _ in
            .agreed(permission.offeredScope.union(settings.extras(of: permission.collectedDomains)))
        }
    }

    private func report(_ outcome: TurnOutcome) throws(Failure) {
        switch outcome {
        case .changed(let note): print("\(domain) is \(position) now" + (note.map { "; \($0)" } ?? ""))
        case .already: print("\(domain) is \(position) already")
        case .declined, .leftOpen, .cannotAsk: throw Failure("\(domain) stays off", .consentNeeded)
        case .refused(let status, let reason, let advice):
            throw Failure(
                "\(domain) stays off, \(status): \(reason)\n\(advice)",
                status == .unsupported ? .unavailable : .noPermission)
        }
    }
}
