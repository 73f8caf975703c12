import Config
import Domains
import System
import Store
import Sensing
import Core

/// The agent of a trial: the sensing service and the consent keeper on an encrypted store, from start to death.
final class TrialProcess {
    let ledger: Ledger
    private(set) var service: SensingService
    private var keeper: ConsentKeeper
    private let devices: TrialDevices
    private let machine: TrialMachine
    private let model: TrialModel
    private let store: TrialStore

    /// A process that begins with the stored data.
    init(path: String, _ devices: TrialDevices, _ machine: TrialMachine, _ model: TrialModel) throws {
        self.devices = devices
        self.machine = machine
        self.model = model
        ledger = try Ledger.open(
            path: path, vault: try Vault(key: [UInt8](0..<32)), role: .keeper,
            settleTime: Settings().consent.settleTime, running: Self.runningState(of: path))
        let running = try RunningState(path: Self.runningState(of: path), of: ledger, boot: machine.boot)
        store = TrialStore(LedgerStore(ledger, rule: Self.anyWear, running: running), model)
        service = Self.service(devices, store, machine)
        keeper = Self.keeper(service, ledger)
    }

    /// The file that outlives a process but not a boot.
    static func runningState(of path: String) -> String { "\(path).state" }

    /// The wearer agrees to motion, steps and screen time.
    func agree() throws {
        for domain in [Domain.motion, .steps, .screenTime] {
            try ledger.change([.reply(domain, .agreedWholly(to: domain.permission))], at: machine.now.wall)
        }
    }

    /// Restores the stored data, and opens the devices.
    func begin() throws {
        model.begin()
        var checkpoint = try store.latestState(in: machine.boot, at: machine.now.boot)
        defer { checkpoint?.wipe() }
        service.begin(try ledger.clock(of: machine.boot), at: machine.now)
        if let checkpoint { service.restore(checkpoint.bytes, at: machine.now) }
        keeper.begin(checkpoint: checkpoint?.consent, at: machine.now)
    }

    /// Continues with another service, as after a reload of the configuration.
    func handOver() {
        model.seeClock()
        let revision = keeper.consentRevision
        let before = service
        service = Self.service(devices, store, machine)
        keeper = Self.keeper(service, ledger)
        before.handOver(to: service, at: machine.now)
        keeper.begin(checkpoint: revision, at: machine.now)
    }

    /// Follows a clock confirmed by the wearer.
    func follow(_ clock: TrustedClock) { service.follow(clock, at: machine.now) }

    /// Applies the present consent.
    func followConsent() {
        keeper.lookAgain(at: machine.now)
    }

    /// Ends like the daemon on request.
    func stop() {
        service.stop(at: machine.now)
    }

    /// Continues until a true time.
    ///
    /// - Parameter lateness: the wake-up delays.
    func live(until end: WallTime, lateness: () -> Interval) {
        while model.failure == nil {
            let agenda = service.agenda(at: machine.now)
            var next = [agenda.wakeAt, keeper.nextWake, machine.now.boot + Self.signOfLife].compactMap { $0 }.min()
            var cause = SensingService.WakeCause.timer
            if agenda.watchesPulses, let pulse = devices.nextPulse, next.map({ pulse < $0 }) ?? true {
                next = pulse
                cause = .source(.pulses)
            }
            if service.inbox != nil, let report = devices.nextReport, next.map({ report < $0 }) ?? true {
                next = report
                cause = .source(.reports)
            }
            let time = next.map { machine.truth(at: $0) + lateness() }
            guard let time, time < end else { break }
            machine.advance(to: time)
            model.seeClock()
            if cause == .source(.reports) { devices.hearBell() }
            if let settled = keeper.nextWake, settled <= machine.now.boot { keeper.lookAgain(at: machine.now) }
            service.handle(cause, at: machine.now)
            model.woke()
        }
        machine.advance(to: end)
    }

    /// The longest sleep of the daemon, because it has to signal the service manager's watchdog.
    private static let signOfLife = Interval.seconds(450)

    /// A minute of wear is enough for a record: the wear limit is not tested here.
    static var anyWear: DayRule {
        var rule = DayRule()
        rule.leastWear = .zero
        return rule
    }

    private static func service(
        _ devices: TrialDevices, _ store: TrialStore, _ machine: TrialMachine
    ) -> SensingService {
        var rules = SensingRules()
        rules.dutyCycle.attentiveInterval = .minutes(5)
        rules.dutyCycle.relaxedInterval = .minutes(5)
        return SensingService(
            rules: rules, devices: devices, store: store, boot: machine.boot, note: { _ in }, signal: {})
    }

    private static func keeper(_ service: SensingService, _ ledger: Ledger) -> ConsentKeeper {
        let handlers = Domain.all.map { domain in
            SimulatedHandler(domain) { domain.isSimulated || domain == .screenTime ? nil : .absent }
        }
        let registry = PermissionRegistry(ledger: ledger, handlers: handlers, policy: Settings().consent)
        return ConsentKeeper(registry: registry, journal: Journal(identifier: "trial") { _ in }) { [weak service] in
            service?.allow($0, at: $1)
        }
    }
}
