import Domains
import Sensing
import Glibc
import System
import Devices
import Core

/// Lends the IMU with its bus and lines to one command at a time, while the command keeps its connection and has time left.
///
/// Meanwhile the domains that these devices serve are suspended: they collect nothing, and their data stays. Consent is
/// unchanged.
final class LoanDesk {
    private let journal: Journal
    /// Nil if it cannot be made.
    private(set) var socket: LendingSocket?
    private var listening: (any EventSource)?
    private(set) var loan: Loan?
    /// The last order, without its dropped domains.
    private var order: CollectionOrder?
    private var loop: (any EventLoop)?

    /// The length of a loan to a command that asks for no other.
    var usualLength: Interval

    /// Called with the order that replaces the last one, when a loan begins and ends. The devices must be closed or
    /// open, respectively, when it returns.
    var onChange: (CollectionOrder) -> Void = { _ in }
    /// Called after a loan has begun, and after one has ended.
    var onLoan: (_ isLent: Bool) -> Void = { _ in }

    init(journal: Journal, usualLength: Interval) {
        self.journal = journal
        self.usualLength = usualLength
    }

    struct Loan {
        let borrower: Borrower
        /// Watches the connection while this value is kept.
        let watch: any EventSource
        let timer: any EventTimer
        var end: BootTime
        /// 0 during the loan, 1 after the recall at its end, 2 after the kill.
        var recalls = 0
    }

    var isLent: Bool { loan != nil }

    /// The borrower, in one line; nil while nothing is lent.
    var status: String? { loan.map { "the sensor is lent to \(name($0.borrower))" } }

    /// Accepts borrowers at the socket in `directory` while this desk lives.
    func open(in directory: String, on loop: any EventLoop) {
        let path = LendingSocket.path(in: directory)
        do {
            let socket = try LendingSocket(path: path)
            listening = try loop.watch(socket.descriptor) { [weak self] in self?.comes() }
            self.socket = socket
            self.loop = loop
        } catch {
            journal.log(.warning, .bellUnusable, "the sensor cannot be lent to a command: \(path): \(error)")
        }
    }

    /// Stores an order, and returns the order to follow now: during a loan, with the lent devices suspended.
    func heed(_ new: CollectionOrder) -> CollectionOrder {
        var lasting = new
        lasting.dropped = []
        order = lasting
        return isLent ? new.lending(Self.lent) : new
    }

    private func comes() {
        guard let borrower = socket?.accept() else { return }
        guard loan == nil, let order, let loop else { return borrower.refuse() }
        do {
            loan = Loan(
                borrower: borrower, watch: try loop.watch(borrower.descriptor) { [weak self] in self?.looksBack() },
                timer: try loop.timer { [weak self] in self?.isOver() }, end: loop.now.boot + usualLength)
            awaitEnd()
        } catch {
            return journal.log(.warning, .bellUnusable, "the sensor cannot be lent: \(error)")
        }
        onChange(order.lending(Self.lent))
        journal.log(
            .notice, .sensorLent,
            "the sensor is lent to \(name(borrower)); no sensor data is collected until it is returned")
        onLoan(true)
        borrower.lend()
    }

    private func looksBack() {
        guard let loan, let loop else { return }
        guard let requests = loan.borrower.requests() else { return takeBack() }
        guard loan.recalls == 0 else { return }
        let now = loop.now.boot
        for length in requests { self.loan?.end = length > .zero ? now + length : max(loan.end, now + usualLength) }
        awaitEnd()
    }

    private func awaitEnd() { if let loan { loan.timer.arm(at: loan.end, slack: .seconds(1)) } }

    /// A command that hangs after the recall holds the lines by its descriptors, so it is killed. Its connection shows
    /// that it still lives.
    private func isOver() {
        guard let loan, let loop else { return }
        let process = loan.borrower.process
        switch loan.recalls {
        case 0: loan.borrower.recall()
        case 1 where process.map { $0 != getpid() && kill($0, SIGKILL) == 0 } ?? false:
            journal.log(
                .warning, .sensorReturned, "\(name(loan.borrower)) did not give the sensor back, and was killed")
        default: return takeBack()
        }
        self.loan?.recalls += 1
        loan.timer.arm(at: loop.now.boot + .seconds(5), slack: .seconds(1))
    }

    private func takeBack() {
        guard let borrower = loan?.borrower else { return }
        loan = nil
        if let order { onChange(order) }
        journal.log(.notice, .sensorReturned, "\(name(borrower)) gave the sensor back")
        onLoan(false)
    }

    private func name(_ borrower: Borrower) -> String { borrower.process.map { "process \($0)" } ?? "a process" }

    private static let lent = DomainSet(Domain.all.filter(\.hardware.isSensor))
}

extension CollectionOrder {
    /// The order while the devices of these domains are lent.
    fileprivate func lending(_ lent: DomainSet) -> CollectionOrder {
        var order = self
        order.suspended.formUnion(domains.intersection(lent))
        order.domains.subtract(lent)
        order.suspendWaiting()
        return order
    }
}
