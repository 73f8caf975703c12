import Commands
import Store
import System
import Core
import Delivery

/// What waits for an account that is not signed in any more.
extension Installation {
    /// The sinks as they are configured; nil where one cannot be opened.
    var sinks: [OpenedSink]? {
        // `try?`: the uploader tells why, and what is to be done about it.
        try? SinkKind.openAll(SinkContext(settings, account: account?.get(), userAgent: ""))
    }

    /// Notes which account each sink has now, as a run of the uploader does.
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
    /// The number of records that wait for another account than that which was last signed in, at any sink.
    func countForOtherAccounts() throws(LedgerError) -> Int {
        var records: Set<OutboxRecord.ID> = []
        for sink in SinkKind.all { records.formUnion(try waitingForAnotherAccount(at: sink.id)) }
        return records.count
    }

    /// Lets what waits for the account before the present one follow, and says how much that is.
    func followSamePerson() throws {
        let before = try countForOtherAccounts()
        guard before > 0 else { throw Failure("nothing waits for another account", .unavailable) }
        for sink in SinkKind.all where try !waitingForAnotherAccount(at: sink.id).isEmpty {
            try confirmSamePerson(at: sink.id)
        }
        let left = try countForOtherAccounts()
        print("\(counted(before - left, "record")) of the account before may go to this one now")
        guard left > 0 else { return }
        tell(
            "\(counted(left, "record")) of an account before that one wait still; if that was yours too, run: \(samePersonCommand)"
        )
    }
}

/// The command by which a wearer says that the account before was their own.
let samePersonCommand = "sudo \(aniccaCommand("queue retry --same-person"))"
