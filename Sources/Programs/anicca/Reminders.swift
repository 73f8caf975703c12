import Commands
import Core
import Domains
import Sensing
import Store
import System

/// The lines about domains that were refused or are suspended (SPEC §2 rule 12), on standard error.
///
/// The file `reminders` beside the store holds the day of the last line about each domain, sealed with the store's key.
/// There is no line if the file cannot be written.
struct Reminders {
    /// In place of a day: the wearer dismissed the line.
    private static let never = Int32.max
    private static let place = SealedPlace(table: "reminders")
    private static let mostBytes = 4096
    private let path: String
    private let vault: Vault
    private var days: [UInt8: Int32] = [:]

    /// A file that cannot be read counts as empty: a line may then come early.
    init(_ installation: Installation) throws(VaultError) {
        path = installation.settings.store.reminders
        vault = try installation.loadVault()
        // `try?`: as above.
        guard let sealed = try? readFile(path, limit: Self.mostBytes, privacy: .own),
            let plain = try? vault.open(sealed, for: Self.place)
        else { return }
        var unpacker = Unpacker(plain)
        while let id: UInt8 = try? unpacker.take(), let day: Int32 = try? unpacker.take() { days[id] = day }
    }

    /// Whether a line about the domain may be printed on this day: seven days lie between, or the clock was set back.
    func isDue(_ domain: Domain, on day: UTCDay) -> Bool {
        guard let last = days[domain.id] else { return true }
        return last != Self.never && !(last...last + 7).contains(day.daysSinceEpoch)
    }

    /// Notes that a line about the domain is printed on this day.
    mutating func note(_ domain: Domain, on day: UTCDay) throws(FileError) {
        try set(domain, day.daysSinceEpoch)
    }

    /// From now on there is no line about the domain.
    mutating func dismiss(_ domain: Domain) throws(FileError) { try set(domain, Self.never) }

    private mutating func set(_ domain: Domain, _ day: Int32) throws(FileError) {
        days[domain.id] = day
        var packer = Packer()
        for (id, day) in days.sorted(by: { $0.key < $1.key }) {
            packer.put(id)
            packer.put(day)
        }
        try replaceFile(path, with: vault.seal(packer.bytes, for: Self.place), draft: path + ".draft")
    }
}

extension Installation {
    /// Opens the store for a command that shows data of these domains, and prints the reminder that is due.
    func openStore(showing domains: [Domain]) throws(Failure) -> Ledger {
        let ledger = try openStore()
        // `try?`: the command reports what is wrong with the store.
        if let line = try? reminder(of: domains, in: ledger) { tell(line) }
        return ledger
    }

    /// About the first of the domains that was refused or is suspended and has a line due; nil if there is none.
    private func reminder(of domains: [Domain], in ledger: Ledger) throws -> String? {
        let state = try ledger.consent().state
        let today = UTCDay(containing: Instant.now.wall)
        let waiting = domains.filter { state.isSuspended($0) || state.status(of: $0) == .denied }
        guard !waiting.isEmpty, !ledger.isReadOnly else { return nil }
        var reminders = try Reminders(self)
        let due = waiting.filter { reminders.isDue($0, on: today) }
        guard !due.isEmpty else { return nil }
        let registry = PermissionRegistry(ledger: ledger, handlers: linuxHandlers(settings), policy: settings.consent)
        // A device may be back since the daemon last looked, and without its device nothing can be done about a refusal.
        guard
            let report = try registry.report(at: Instant.now.wall).first(where: { report in
                due.contains(report.domain)
                    && (report.status == .denied || report.isOn && report.status == .unsupported)
            })
        else { return nil }
        let domain = report.domain
        try reminders.note(domain, on: today)
        let standing = report.isOn ? "suspended" : "\(report.status)"
        return "\(domain) is \(standing): \(report.reason ?? "its device is missing"); what to do: "
            + "\(aniccaCommand("permissions")); no more of this line: \(aniccaCommand("permissions dismiss \(domain)"))"
    }
}
