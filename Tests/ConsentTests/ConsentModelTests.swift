import LaterVersion
import Core
import SimulatedBus
import Testing

@testable import Domains
@testable import Store

/// Everything that can happen to consent, at random: a wearer at the command line, an administrator at the config, a
/// kernel with devices that come and go, and a clock. After each step nothing that SPEC §2 promises is broken.
struct ConsentModelTests {
    /// Together 240,000 steps, two thirds of them in a version that collects every domain.
    @Test(arguments: Array(UInt64(1)...12)) func noSequenceOfEventsBreaksAPromise(seed: UInt64) {
        var world = World(seed: seed, domains: seed <= 8 ? Domain.all.map(\.later) : Domain.all)
        for step in 1...25_000 {
            world.step()
            guard world.broken == nil else { break }
            if step % 50 == 0 { world.restart() }
        }
        #expect(world.broken == nil, "seed \(seed), after \(world.history.suffix(12).joined(separator: "; "))")
        // The walk went everywhere that it was to go, as often as it came by a domain that is collected.
        let (collected, all) = (world.domains.count { $0.isCollected }, world.domains.count)
        #expect(world.questions > 100 * collected / all)
        #expect(world.sent > 100 * collected / all)
        #expect(world.flicks > 20 * collected / all)
        #expect(world.losses > 50 * collected / all)
        #expect(world.suspensions > 20 * collected / all)
        #expect(world.clockSettings > 50)
    }
}

/// A device in small: what is stored, what the daemon holds, and what was collected and sent.
private struct World {
    private var random: SeededGenerator
    private var boot = BootTime(nanoseconds: 0)
    private var wall = WallTime(secondsSinceEpoch: 1_700_000_000)

    // Stored
    private var consent = ConsentSnapshot(settleTime: World.settleTime)
    private var state: ConsentState { consent.state }
    private var queue: [(domain: Domain, number: Int64)] = []

    // Around
    private var obstacles: [Domain: Obstacle] = [:]
    private var forbidden = DomainSet()
    private var granted: [Permission] = []

    // The daemon
    /// By domain that is held: the number under which it is collected.
    private var opened: [Domain: ConsentEntry.ID] = [:]
    private var isStarting = false

    /// When the toggle was turned off, and how often the wall clock had been set by then.
    private var turnedOff: [Domain: (at: BootTime, clockSettings: Int)] = [:]

    private(set) var broken: String?
    private(set) var history: [String] = []
    private(set) var questions = 0
    private(set) var sent = 0
    private(set) var flicks = 0
    private(set) var losses = 0
    private(set) var suspensions = 0
    private(set) var clockSettings = 0

    private static let settleTime = Interval.milliseconds(220)

    /// As the version of the program has them.
    let domains: [Domain]

    init(seed: UInt64, domains: [Domain]) {
        random = SeededGenerator(seed: seed)
        self.domains = domains
    }

    mutating func step() {
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<30: turn(anyDomain, on: .random(using: &random))
        case 30..<33: note("decide") { $0.decide() }
        case 33: changeScope(of: anyDomain)
        case 34..<36: forget(anyDomain)
        case 36..<40: changeConfig()
        case 40..<50: changeHardware(anyDomain)
        case 50..<56: flick(anyDomain)
        case 56..<74: note("wait") { $0.wait(.random(in: 1...400, using: &$0.random)) }
        case 74..<76: setClock()
        case 76..<90: collect()
        default: upload()
        }
        daemonLooks()
        check()
    }

    private var anyDomain: Domain {
        mutating get { domains.randomElement(using: &random) ?? .motion }
    }

    private mutating func note(_ text: String, _ act: (inout World) -> Void) {
        history.append("\(text) at \(boot.nanoseconds / 1_000_000)")
        act(&self)
    }

    private mutating func wait(_ milliseconds: Int64) {
        boot = boot + .milliseconds(milliseconds)
        wall = wall + .milliseconds(milliseconds)
    }

    private mutating func fail(_ promise: String) { broken = broken ?? promise }
}

// MARK: - Who does what

extension World {
    /// `anicca toggle`, with a wearer who may agree, agree to a part, refuse or walk away, and a device that may change
    /// while the question is open.
    private mutating func turn(_ domain: Domain, on isOn: Bool) {
        history.append("turn \(domain) \(isOn ? "on" : "off")")
        applyConfig()
        if isOn { store([.found(domain, obstacles[domain])]) }
        let before = state.status(of: domain)
        var asked = 0
        for effect in store([.turn(domain, on: isOn)]) {
            switch effect {
            case .ask(let permission, let askedFor):
                asked += 1
                if before != .notDetermined { fail("a question from \(before)") }
                if !domain.isCollected { fail("a question about \(domain), which is not collected") }
                if askedFor != domain || permission != domain.permission { fail("the wrong question") }
            case .explain(_, let status):
                if status.allowsCollection || status == .notDetermined { fail("nothing to explain about \(status)") }
            case .record: break
            }
        }
        if asked > 0 {
            questions += 1
            if Int.random(in: 0..<8, using: &random) == 0 { changeConfig() }
            for case .ask in store([.reply(domain, reply(for: domain.permission))]) { fail("asked twice for one turn") }
        }
        if asked > 1 { fail("asked \(asked) times at once") }
        if !isOn, asked > 0 { fail("asked at turning off") }
        if isOn, state.toggles.allows(domain), !isCarried(domain) { fail("on without leave") }
    }

    /// Only an absent device leaves the toggle of a domain on that is not collected.
    private func isCarried(_ domain: Domain) -> Bool {
        state.status(of: domain).allowsCollection || state.isSuspended(domain)
    }

    private mutating func reply(for permission: Permission) -> Answer {
        switch Int.random(in: 0..<6, using: &random) {
        case 0: .notAsked
        case 1: .declined
        case 2: part(of: permission)
        default: .agreed(offer(of: permission), offered: offer(of: permission))
        }
    }

    private mutating func part(of permission: Permission) -> Answer {
        let offer = offer(of: permission)
        let scope = offer.intersection(Scope(rawValue: UInt64.random(in: 1...255, using: &random)))
        return .agreed(scope.isEmpty ? offer : scope, offered: offer)
    }

    private func offer(of permission: Permission) -> Scope {
        Scope(of: domains.filter { $0.permission == permission && $0.isCollected })
    }

    private mutating func decide() {
        let permission = Permission.all.randomElement(using: &random) ?? .motion
        store([.decide(permission, Bool.random(using: &random) ? .declined : .notAsked)])
        applyConfig()  // It may answer for the wearer who let the question be asked again.
    }

    /// `anicca permissions expand` and `narrow`, after which the wearer has agreed to no less, or to no more, and all toggles are as before.
    private mutating func changeScope(of domain: Domain) {
        let isWider = Bool.random(using: &random)
        history.append("\(isWider ? "widen" : "narrow") \(domain)")
        let before = state
        let permission = domain.permission
        store([isWider ? .widen(domain, reply(for: permission)) : .narrow(domain)])
        let (earlier, now) = (before.answer(to: permission).agreement, state.answer(to: permission).agreement)
        if isWider ? !now.isSuperset(of: earlier) : !now.isSubset(of: earlier) { fail("a scope changed the wrong way") }
        if state.toggles != before.toggles { fail("a scope turned a toggle") }
    }

    private mutating func forget(_ domain: Domain) {
        history.append("forget \(domain)")
        let before = state
        store([.forget(domain)])
        queue.removeAll { $0.domain == domain }
        if state != before { fail("forgetting changed more than data") }
    }

    private mutating func changeConfig() {
        history.append("config")
        let domain = anyDomain
        switch Int.random(in: 0..<4, using: &random) {
        case 0: forbidden.insert(domain)
        case 1: forbidden = []
        case 2: granted.append(domain.permission)
        default: granted = []
        }
        let refusals = Permission.all.filter { state.answer(to: $0) == .declined }
        applyConfig()
        for permission in refusals where state.answer(to: permission) != .declined {
            fail("the administrator spoke over the wearer")
        }
    }

    private mutating func applyConfig() {
        for case .ask in store([.granted(granted), .forbidden(forbidden)]) { fail("the config led to a question") }
    }

    /// A node loses its mode, a chip is unplugged, or all is well again; the daemon notices where it looks.
    private mutating func changeHardware(_ domain: Domain) {
        obstacles[domain] = [nil, nil, .absent, .refused].randomElement(using: &random) ?? nil
        history.append("\(domain) is \(obstacles[domain].map { "\($0)" } ?? "fine")")
        guard opened[domain] != nil else { return }
        let before = domains.map { (state.status(of: $0), state.toggles.allows($0)) }
        let isOn = state.toggles.allows(domain)
        store([.found(domain, obstacles[domain])])
        if obstacles[domain] != nil { losses += 1 }
        if obstacles[domain] != .refused, state.toggles.allows(domain) != isOn {
            fail("a device of \(domain) that came or went turned its toggle")
        }
        if obstacles[domain] == nil, isOn, !state.status(of: domain).allowsCollection {
            fail("\(domain) did not resume")
        }
        if obstacles[domain] == .absent, isOn { suspensions += 1 }
        for (other, old) in zip(domains, before) where other != domain {
            if state.status(of: other) != old.0 || state.toggles.allows(other) != old.1 {
                fail("a fault of \(domain) changed \(other)")
            }
        }
    }

    private mutating func setClock() {
        let steps: [Int64] = [-3_600_000, -300, -200, -100, 100, 300, 3_600_000]
        let step = steps.randomElement(using: &random) ?? 0
        history.append("set the clock by \(step)")
        wall = wall + .milliseconds(step)
        clockSettings += 1
    }

    /// Off and on again within the settle time.
    private mutating func flick(_ domain: Domain) {
        guard state.toggles.allows(domain), opened[domain] != nil, obstacles[domain] == nil else { return }
        history.append("flick \(domain)")
        let queued = queue.count { $0.domain == domain }
        let before = opened[domain]
        turn(domain, on: false)
        daemonLooks()
        wait(.random(in: 0..<220, using: &random))
        turn(domain, on: true)
        daemonLooks()
        guard state.toggles.allows(domain) else { return }
        flicks += 1
        if opened[domain] != before { fail("a flick closed a device") }
        if queue.count(where: { $0.domain == domain }) != queued { fail("a flick dropped a field") }
    }
}

// MARK: - The store and the daemon

extension World {
    @discardableResult
    private mutating func store(_ events: [ConsentEvent]) -> [ConsentEffect] {
        var effects: [ConsentEffect] = []
        var machine = state
        for event in events {
            let new = machine.handle(event)
            for case .record(let change, let actor) in new { keep(change, by: actor) }
            effects += new
        }
        if machine != state { fail("the trail does not add up to the state") }
        return effects
    }

    private mutating func keep(_ change: ConsentChange, by actor: ConsentActor) {
        let entry = ConsentEntry(id: consent.lastEntry + 1, at: wall, change: change, by: actor)
        consent.add(entry, hash: .none)
        guard case .toggle(let domain, let wasOn, let isOn) = change else { return }
        if wasOn == isOn { fail("an entry that changes nothing") }
        if !isOn { turnedOff[domain] = (boot, clockSettings) }
    }

    private mutating func daemonLooks() {
        for domain in domains {
            let since = heldSince(domain)
            if opened[domain] != since { queue.removeAll { $0.domain == domain } }
            if opened[domain] == nil, since != nil, !isStarting, !state.toggles.allows(domain) {
                fail("\(domain) was opened while off")
            }
            opened[domain] = since
        }
    }

    /// As `ConsentKeeper` decides.
    private func heldSince(_ domain: Domain) -> ConsentEntry.ID? {
        guard isCarried(domain) else { return nil }
        let maySettle = opened[domain] != nil || isStarting
        return maySettle ? consent.heldSince(domain, at: wall) : consent.onSince(domain)
    }

    private mutating func collect() {
        history.append("collect")
        for (domain, number) in opened where !state.isSuspended(domain) {
            if !state.toggles.allows(domain), !maySettle(domain) { fail("\(domain) was collected while off") }
            if !state.status(of: domain).allowsCollection { fail("\(domain) was collected without leave") }
            if !domain.isCollected { fail("\(domain) is not collected by this version") }
            queue.append((domain, number))
        }
    }

    /// Whether so little time has passed since the toggle was turned off: the settle time, and each time that the clock
    /// was set twice as much at most.
    private func maySettle(_ domain: Domain) -> Bool {
        guard let off = turnedOff[domain] else { return false }
        let settings = clockSettings - off.clockSettings
        return boot - off.at < Self.settleTime * Int64(1 + 2 * settings)
    }

    private mutating func upload() {
        history.append("upload")
        for (domain, number) in queue {
            guard let since = consent.onSince(domain), number >= since else { continue }
            sent += 1
            if !state.toggles.allows(domain) { fail("\(domain) was sent while off") }
        }
        queue.removeAll()
    }

    /// The daemon ends and begins anew, with nothing but what is stored.
    mutating func restart() {
        history.append("restart")
        let before = state
        let entries = consent.lastEntry
        applyConfig()
        if state != before || consent.lastEntry != entries { fail("a restart changed something") }
        let wasOpen = opened
        opened = [:]
        isStarting = true
        daemonLooks()
        isStarting = false
        for (domain, number) in wasOpen where opened[domain] != number { fail("a restart closed something") }
        for domain in opened.keys where wasOpen[domain] == nil && !maySettle(domain) {
            fail("a restart opened something")
        }
    }

    private mutating func check() {
        for domain in domains {
            let isOn = state.toggles.allows(domain)
            if isOn, !isCarried(domain) { fail("\(domain) on, no leave") }
            if isOn, consent.onSince(domain) == nil { fail("\(domain) on without a number") }
            if isOn != (opened[domain] != nil), consent.settling(domain, at: wall) == nil {
                fail("\(domain): the daemon does something else than what is allowed")
            }
        }
    }
}
