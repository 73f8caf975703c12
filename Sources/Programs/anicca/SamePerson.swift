import Commands
import Store
import System
import Core
import Delivery

/// Records that wait for an account that is no longer signed in.
extension Installation {
    /// The sinks as they are configured; nil where one cannot be opened.
    var sinks: [OpenedSink]? {
        // `try?`: the uploader reports the reason and the remedy.
        try? SinkKind.openAll(SinkContext(settings, account: account?.get(), userAgent: ""))
    }

    /// Notes the present account of each sink, like a run of the uploader.
    func noteAccounts(in ledger: Ledger) throws {
        for opened in sinks ?? [] {
            guard case .ready(let sink) = opened.state else { continue }
            try noteSignIn(of: sink.account, to: opened.kind.id, in: ledger)
        }
    }

    func noteSignIn(
        of account: [UInt8], to sink: SinkID, in ledger: Ledger
    ) throws {
        let now = Instant.now
        let clock = try knownClock(of: ledger, at: now)
        let boot = try thisBoot()
        try ledger.noteSignIn(
            of: account, to: sink, at: clock?.time(at: now.boot), in: (id: boot, at: now.boot))
    }
}

extension Ledger {
    /// The number of records that wait, at any sink, for an account other than the latest.
    func countForOtherAccounts() throws(LedgerError) -> Int {
        var records: Set<OutboxRecord.ID> = []
        for sink in SinkKind.all { records.formUnion(try waitingForAnotherAccount(at: sink.id)) }
        return records.count
    }

    /// Reassigns records of the previous account to the present one, and reports their number.
    func followSamePerson() throws {
        let before = try countForOtherAccounts()
        guard before > 0 else { throw Failure("no record waits for another account", .unavailable) }
        for sink in SinkKind.all where try !waitingForAnotherAccount(at: sink.id).isEmpty {
            try confirmSamePerson(at: sink.id)
        }
        let left = try countForOtherAccounts()
        print("\(counted(before - left, "record")) of the previous account now go to this one")
        guard left > 0 else { return }
        tell(
            "\(counted(left, "record")) of an earlier account still wait; if that account was yours too, run: "
                + samePersonCommand)
    }
}

/// The command with which a wearer claims the previous account.
let samePersonCommand = "sudo \(aniccaCommand("queue retry --same-person"))"
