import Quantities
import SimulatedBus
import Testing

@testable import Consent
import Domains

/// Everything that can happen to consent, at random: a wearer at the command line, an administrator at the config, a
/// kernel with devices that come and go, and a clock. After each step nothing that SPEC §2 promises is broken.
struct ConsentModelTests {
    /// Together 160,000 steps.
    @Test(arguments: Array(UInt64(1)...8)) func noSequenceOfEventsBreaksAPromise(seed: UInt64) {
        var world = World(seed: seed)
        for step in 1...20_000 {
            world.step()
            guard world.broken == nil else { break }
            if step % 50 == 0 { world.restart() }
        }
        #expect(world.broken == nil, "seed \(seed), after \(world.history.suffix(12).joined(separator: "; "))")
        // The walk went everywhere that it was to go.
        #expect(world.questions > 100)
        #expect(world.sent > 100)
        #expect(world.flicks > 20)
        #expect(world.losses > 50)
        #expect(world.suspensions > 20)
    }
}

/// A device in small: what is stored, what the daemon holds, and what was collected and sent.
private struct World {
    private var random: SeededGenerator
    private var time = BootTime(nanoseconds: 0)

    // Stored
    private var trail: [(change: ConsentChange, by: ConsentActor)] = []
    private var state = ConsentState()
    /// By domain: the number under which it is collected, and when it was turned off by its toggle.
    private var onSince: [Domain: Int64] = [:]
    private var turnedOff: [Domain: (at: BootTime, onSince: Int64)] = [:]
    private var queue: [(domain: Domain, number: Int64)] = []

    // Around
    private var obstacles: [Domain: Obstacle] = [:]
    private var forbidden = DomainSet()
    private var granted: [Permission] = []

    // The daemon
    private var collection = CollectedDomains(settleTime: World.settleTime)
    private var opened: [Domain: Int64] = [:]

    private(set) var broken: String?
    private(set) var history: [String] = []
    private(set) var questions = 0
    private(set) var sent = 0
    private(set) var flicks = 0
    private(set) var losses = 0
    private(set) var suspensions = 0

    private static let settleTime = Interval.milliseconds(220)

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    mutating func step() {
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<30: turn(anyDomain, on: .random(using: &random))
        case 30..<34: note("decide") { $0.decide() }
        case 34..<36: forget(anyDomain)
        case 36..<40: changeConfig()
        case 40..<50: changeHardware(anyDomain)
        case 50..<56: flick(anyDomain)
        case 56..<76: note("wait") { $0.time = $0.time + .milliseconds(.random(in: 1...400, using: &$0.random)) }
        case 76..<90: collect()
        default: upload()
        }
        daemonLooks()
        check()
    }

    private var anyDomain: Domain {
        mutating get { Domain.all.randomElement(using: &random) ?? .motion }
    }

    private mutating func note(_ text: String, _ act: (inout World) -> Void) {
        history.append("\(text) at \(time.nanoseconds / 1_000_000)")
        act(&self)
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
        default: .agreedWholly(to: permission)
        }
    }

    private mutating func part(of permission: Permission) -> Answer {
        let code = permission.wholeScope.rawValue & UInt64.random(in: 1...255, using: &random)
        return code == 0 ? .agreedWholly(to: permission) : .agreed(Scope(rawValue: code))
    }

    private mutating func decide() {
        let permission = Permission.all.randomElement(using: &random) ?? .motion
        store([.decide(permission, Bool.random(using: &random) ? .declined : .notAsked)])
        applyConfig()  // It may answer for the wearer who let the question be asked again.
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
        guard collection.domains.allows(domain) else { return }
        let before = Domain.all.map { (state.status(of: $0), state.toggles.allows($0)) }
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
        for (other, old) in zip(Domain.all, before) where other != domain {
            if state.status(of: other) != old.0 || state.toggles.allows(other) != old.1 {
                fail("a fault of \(domain) changed \(other)")
            }
        }
    }

    /// Off and on again within the settle time.
    private mutating func flick(_ domain: Domain) {
        guard state.toggles.allows(domain), opened[domain] != nil, obstacles[domain] == nil else { return }
        history.append("flick \(domain)")
        let queued = queue.count { $0.domain == domain }
        let before = opened[domain]
        turn(domain, on: false)
        daemonLooks()
        time = time + .milliseconds(.random(in: 0..<220, using: &random))
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
        for event in events {
            let before = state
            let new = state.handle(event)
            let isWithdrawal = new.contains {
                if case .record(.toggle, _) = $0 { false } else if case .record = $0 { true } else { false }
            }
            for case .record(let change, let actor) in new { keep(change, by: actor, before, isWithdrawal) }
            effects += new
        }
        return effects
    }

    private mutating func keep(
        _ change: ConsentChange, by actor: ConsentActor, _ before: ConsentState, _ isWithdrawal: Bool
    ) {
        trail.append((change, actor))
        guard case .toggle(let domain, let wasOn, let isOn) = change else { return }
        if wasOn == isOn { fail("an entry that changes nothing") }
        if isOn {
            let off = turnedOff[domain]
            let isFlick = off.map { time - $0.at <= Self.settleTime } ?? false
            onSince[domain] = isFlick ? off?.onSince : Int64(trail.count)
        } else if let number = onSince[domain] {
            turnedOff[domain] = isWithdrawal ? nil : (time, number)
            onSince[domain] = nil
        }
    }

    private mutating func daemonLooks() {
        for domain in Domain.all {
            for effect in collection.follow(domain, wish(of: domain), at: time) {
                switch effect {
                case .open(let domain): opened[domain] = onSince[domain]
                case .close(let domain):
                    opened[domain] = nil
                    queue.removeAll { $0.domain == domain }
                }
            }
        }
    }

    private func wish(of domain: Domain) -> CollectedDomains.Wish {
        if let number = onSince[domain] { return .on(since: number) }
        return state.status(of: domain).allowsCollection && turnedOff[domain] != nil ? .off : .withdrawn
    }

    private mutating func collect() {
        history.append("collect")
        for domain in Domain.all where collection.domains.allows(domain) && !state.isSuspended(domain) {
            let isSettling = turnedOff[domain].map { time - $0.at < Self.settleTime } ?? false
            if !state.toggles.allows(domain), !isSettling { fail("\(domain) was collected while off") }
            if !state.status(of: domain).allowsCollection { fail("\(domain) was collected without leave") }
            if let number = opened[domain] { queue.append((domain, number)) }
        }
    }

    private mutating func upload() {
        history.append("upload")
        for (domain, number) in queue {
            guard let since = onSince[domain], number >= since else { continue }
            sent += 1
            if !state.toggles.allows(domain) { fail("\(domain) was sent while off") }
        }
        queue.removeAll()
    }

    /// The daemon ends and begins anew, with nothing but what is stored.
    mutating func restart() {
        history.append("restart")
        var folded = ConsentState()
        for entry in trail { folded.apply(entry.change, by: entry.by) }
        if folded != state { fail("the trail does not add up to the state") }
        let before = state
        let entries = trail.count
        applyConfig()
        if state != before || trail.count != entries { fail("a restart changed something") }
        let wasOpen = collection.domains
        collection = CollectedDomains(settleTime: Self.settleTime)
        opened = [:]
        daemonLooks()
        if !wasOpen.isSuperset(of: collection.domains) { fail("a restart opened something") }
        if collection.domains != state.toggles { fail("a restart collects something else than what is on") }
    }

    private mutating func check() {
        for domain in Domain.all {
            if state.toggles.allows(domain), !isCarried(domain) { fail("\(domain) on, no leave") }
            if state.toggles.allows(domain), onSince[domain] == nil { fail("\(domain) on without a number") }
            if state.toggles.allows(domain) != collection.domains.allows(domain), collection.settlesAt == nil {
                fail("\(domain): the daemon does something else than what is allowed")
            }
        }
    }
}
