import Domains
import Store
import Core

/// The events of a device.
extension TrialLife {
    /// Performs the event now, and schedules the next of its kind.
    func happen(_ event: Event) throws {
        switch event {
        case .kill:
            schedule(.kill, every: 120)
            guard process != nil else { return }
            tally.kills += 1
            die(withPower: true)
            try rise(
                after: chance.isTrue(percent: 90)
                    ? chance.interval(.seconds(3), .minutes(3)) : chance.interval(.minutes(3), .hours(3)))
        case .stop:
            schedule(.stop, every: 30)
            process?.stop()
            tally.stops += 1
            die(withPower: true)
            try rise(after: chance.interval(.seconds(3), chance.isTrue(percent: 80) ? .minutes(1) : .hours(5)))
        case .handOver:
            schedule(.handOver, every: 30)
            process?.handOver()
        case .powerCut:
            schedule(.powerCut, every: 50)
            tally.powerCuts += 1
            die(withPower: false)
            boot(
                after: chance.interval([
                    (30, .seconds(5), .minutes(5)), (45, .minutes(5), .hours(10)), (25, .hours(10), .days(3)),
                ]))
            try rise(after: chance.interval(.seconds(4), .seconds(40)))
        case .suspend:
            schedule(.suspend, every: 40)
            let sleep = chance.interval(.seconds(30), chance.isTrue(percent: 60) ? .minutes(20) : .hours(9))
            devices.sleep(until: machine.time + sleep)
            machine.advance(to: machine.time + sleep)
        case .upload:
            schedule(.upload, in: chance.interval(.minutes(65), .hours(10)))
            try upload()
        case .toggle:
            schedule(.toggle, every: 40)
            try toggle()
        default: try clockHappens(event)
        }
    }

    /// Starts the process after a while; the clock may be set meanwhile.
    private func rise(after wait: Interval) throws {
        let time = machine.time + wait
        while let (event, at) = coming.filter({ Self.ofClocks.contains($0.key) }).min(by: {
            ($0.value, "\($0.key)") < ($1.value, "\($1.key)")
        }), at < time {
            coming[event] = nil
            machine.advance(to: at)
            try clockHappens(event)
        }
        machine.advance(to: time)
        say("a process begins, wall clock \(machine.now.wall), synchronised \(machine.isSynchronised)")
        try startProcess()
    }

    private static let ofClocks: Set<Event> = [
        .synchronise, .loseSynchronisation, .correct, .setWildly, .lie, .repent, .vouch,
    ]

    private func toggle() throws {
        guard let process else { return }
        tally.toggles += 1
        let domain = chance.isTrue(percent: 50) ? Domain.motion : .steps
        let isOn = domain == .motion ? model.motion.isOn : model.steps.isOn
        try process.ledger.change([.turn(domain, on: !isOn)], at: machine.now.wall)
        say("\(domain) \(isOn ? "off" : "on")")
        model.turn(domain, on: !isOn)
        process.followConsent()
        live(until: machine.time + .seconds(2))
        if isOn { schedule(.toggle, in: chance.interval(.minutes(1), .hours(12))) }
    }
}

// MARK: - Clocks

extension TrialLife {
    /// A new boot, after some time without power.
    func boot(after off: Interval) {
        let before = machine.time + machine.wallError
        machine.advance(to: machine.time + off)
        var wall = machine.time
        switch chance.number(0...6) {
        case 0: wall = WallTime(nanoseconds: 0)
        case 1: wall = WallTime(secondsSinceEpoch: 1_718_000_000)
        case 2: wall = before
        case 3: wall = machine.time + chance.interval(.days(1), .days(40))
        case 4: wall = machine.time + chance.interval(.days(300), .days(9000))
        case 5: wall = machine.time + .zero - chance.interval(.hours(1), .days(300))
        default: break
        }
        for event in Self.ofThisBoot { coming[event] = nil }
        machine.start(
            BootID(high: chance.number(1 ... .max), low: Int64(machine.boots)), showing: wall,
            drift: chance.number(-50...50))
        model.bootBegan()
        say("boot \(machine.boots), wall clock \(wall)")
        let wait = chance.interval([
            (30, .seconds(1), .seconds(3)), (30, .seconds(5), .minutes(2)), (20, .minutes(2), .hours(12)),
            (10, .hours(12), .days(4)), (10, .days(900), .days(999)),
        ])
        schedule(.synchronise, in: wait)
        if chance.isTrue(percent: 30) { schedule(.vouch, in: chance.interval(.minutes(1), .days(2))) }
    }

    private static let ofThisBoot: [Event] = [.synchronise, .correct, .vouch, .repent]

    /// Performs an event of the clocks.
    func clockHappens(_ event: Event) throws {
        switch event {
        case .synchronise:
            // The first time from a network may be off by seconds, and is corrected later.
            let isRough = chance.isTrue(percent: 8)
            let most: Interval = isRough ? .seconds(20) : .milliseconds(300)
            machine.set(machine.time + chance.interval(.zero - most, most), isSynchronised: true)
            if isRough { schedule(.correct, in: chance.interval(.minutes(1), .days(1))) }
        case .correct:
            guard machine.isSynchronised, coming[.repent] == nil else { return }
            tally.clockSteps += 1
            machine.set(machine.time, isSynchronised: true)
        case .loseSynchronisation:
            schedule(.loseSynchronisation, every: 30)
            guard machine.isSynchronised, coming[.repent] == nil else { return }
            machine.set(machine.now.wall, isSynchronised: false, drift: chance.number(-50...50))
            schedule(.synchronise, in: chance.interval(.hours(1), .days(2)))
        case .setWildly:
            // This time must not be believed.
            schedule(.setWildly, every: 30)
            guard !machine.isSynchronised else { return }
            tally.clockSteps += 1
            machine.set(machine.time + chance.interval(.days(-9000), .days(9000)), isSynchronised: false)
        case .vouch: try vouch()
        case .lie:
            schedule(.lie, every: 15)
            guard machine.isSynchronised else { return }
            tally.clockSteps += 1
            let far = chance.isTrue(percent: 50) ? Interval.days(4000) : .days(3)
            let lie = chance.interval(.zero - far, far)
            machine.set(machine.time + lie, isSynchronised: true)
            say("the trusted clock shows \(machine.now.wall)")
            schedule(.repent, in: chance.interval(.seconds(20), .days(1)))
        case .repent:
            tally.clockSteps += 1
            machine.set(machine.time, isSynchronised: true)
        default: break
        }
    }

    /// The wearer sets the clock, and confirms it.
    private func vouch() throws {
        guard !machine.isSynchronised, let process else { return }
        tally.vouches += 1
        machine.set(
            machine.time + chance.interval(.milliseconds(-900), .milliseconds(900)), isSynchronised: false, drift: 20)
        guard let clock = TrustedClock.confirm(machine.now) else { return }
        let reading = BootReading(id: machine.boot, seen: machine.now.boot, clock: clock)
        model.trust(machine.wallError)
        try process.ledger.vouch(for: reading)
        model.note(reading)
        process.follow(clock)
        model.woke()
    }
}
