import Config
import Domains
import Core
import Testing

@testable import Store
@testable import Sensing

/// A keeper as the daemon has it, and a registry over the same store as the command has it.
final class KeeperBench {
    let wearer: RegistryBench
    let handlers: [StubHandler]
    let registry: PermissionRegistry
    let keeper: ConsentKeeper
    let book: LogBook
    private let given: Orders

    private final class Orders {
        var list: [CollectionOrder] = []
    }

    var orders: [CollectionOrder] { given.list }
    var domains: DomainSet? { orders.last?.domains }

    /// - Parameters:
    ///   - domains: on since a day before noon.
    ///   - version: the domains as the version of the program has them.
    init(
        _ domains: [Domain] = [], of version: [Domain] = Domain.all, policy: Settings.Consent = Settings().consent
    ) throws {
        handlers = version.map { StubHandler($0) }
        wearer = try RegistryBench()
        for domain in domains { try wearer.turnOn(domain, at: noon - .days(1)) }
        let ledger = try wearer.scratch.ledger(.visitor, busyTimeout: .zero)
        let registry = PermissionRegistry(ledger: ledger, handlers: handlers, policy: policy)
        let given = Orders()
        let book = LogBook()
        self.registry = registry
        self.given = given
        self.book = book
        keeper = ConsentKeeper(registry: registry, journal: book.journal) { order, _ in
            given.list.append(order)
        }
    }

    func begin(checkpoint: ConsentEntry.ID? = nil, at now: Instant = instant()) {
        keeper.begin(checkpoint: checkpoint, at: now)
    }

    /// The wearer turns a toggle, and the bell rings.
    func turn(_ domain: Domain, on isOn: Bool, at now: Instant) throws {
        let answer = Answer.agreedWholly(to: domain.permission)
        #expect(try wearer.turn(domain, on: isOn, answer: answer, at: now.wall) == .changed(note: nil))
        keeper.lookAgain(at: now)
    }

    func handler(_ domain: Domain) throws -> StubHandler { try #require(handlers.first { $0.domain == domain }) }

    /// Lets another process hold the store meanwhile.
    func whileStoreIsBusy(_ body: () throws -> Void) throws {
        let other = try wearer.scratch.ledger(.visitor)
        try other.database.execute("BEGIN IMMEDIATE")
        try body()
        try other.database.execute("COMMIT")
    }
}

let unplugged = DeviceLoss(
    domain: .motion, obstacle: .absent, reason: "/dev/i2c-1: no device acknowledged the address (NACK)")
