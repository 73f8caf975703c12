import Core
import Domains
import Sensing
import Signal
import Testing

@testable import Simulation

/// Made-up weeks of a wearer on simulated devices, with motion, steps and walks on.
@Suite struct WalksDayTests {
    static let firstDay = UTCDay(daysSinceEpoch: 20_101)

    /// A life, and what was stored of it.
    private func live(_ seed: UInt64, days: Int, hasPulseLine: Bool) -> (life: WearerLife, figures: [[ClosedDay.Entry]])
    {
        let life = WearerLife(firstDay: Self.firstDay, days: days, seed: seed)
        let clock = VirtualClock(bootingAt: life.start)
        let devices = SimulatedDevices(life: life, clock: clock, hasPulseLine: hasPulseLine)
        let store = MemoryStore()
        var profile = WearerProfile()
        (profile.height, profile.weight) = (175, 72)
        store.rows = [profile]
        let service = SensingService(
            rules: SensingRules(), devices: devices, store: store, note: { _ in }, signal: {})
        let run = ServiceRun(service: service, devices: devices, seed: life.seed)
        service.allow(CollectionOrder(domains: DomainSet([.motion, .steps, .walks])), at: clock.now)
        run.run(until: life.end)
        service.stop(at: clock.now)
        return (life, (0..<days).map { store.figures(of: Self.firstDay + $0, with: service.session) })
    }

    @Test func whileMotionIsOffWalksTakesNoStepThatTheStepSensorCounts() throws {
        let life = WearerLife(firstDay: Self.firstDay, days: 1, seed: 1)
        let clock = VirtualClock(bootingAt: life.start)
        let devices = SimulatedDevices(life: life, clock: clock, hasPulseLine: true)
        let store = MemoryStore()
        var profile = WearerProfile()
        profile.height = 175
        store.rows = [profile]
        let service = SensingService(
            rules: SensingRules(), devices: devices, store: store, note: { _ in }, signal: {})
        let run = ServiceRun(service: service, devices: devices, seed: life.seed)
        func live(until hour: Int64, _ order: CollectionOrder) -> (steps: Int64, metres: Int64) {
            service.allow(order, at: clock.now)
            run.run(until: life.start + .hours(hour))
            func total(_ figure: Figure) -> Int64 { store.total(of: figure, with: service.session) ?? 0 }
            return (total(.steps), total(.distance))
        }
        let all = CollectionOrder(domains: [.motion, .steps, .walks])
        let noon = live(until: 12, all)
        let evening = live(until: 23, CollectionOrder(domains: DomainSet(.steps), suspended: DomainSet(.walks)))
        let night = live(until: 24, all)
        #expect(noon.metres > 100 && evening.metres == noon.metres)
        #expect(evening.steps > noon.steps + 1000)
        #expect(night.metres - noon.metres <= night.steps - evening.steps, "no step is a metre long")
    }

    fileprivate struct Spell: Equatable {
        let start, end: WallTime
        let isRunning: Bool
    }

    /// Walks and runs of so many minutes and more, with their pauses.
    private func spells(of life: WearerLife, minutes: Int64) -> [Spell] {
        var found: [Spell] = []
        var bout: (start: WallTime, end: WallTime, moving: Interval, running: Interval)?
        func finish() {
            if let bout, bout.moving >= .minutes(minutes) {
                found.append(Spell(start: bout.start, end: bout.end, isRunning: bout.running * 2 > bout.moving))
            }
            bout = nil
        }
        for episode in life.episodes {
            let length = episode.end - episode.start
            switch episode.kind {
            case .walking, .running:
                if let last = bout, episode.start - last.end >= .minutes(2) { finish() }
                var now = bout ?? (episode.start, episode.end, .zero, .zero)
                now.end = episode.end
                now.moving = now.moving + length
                if episode.kind == .running { now.running = now.running + length }
                bout = now
            case .driving, .off: finish()
            case .sitting, .standing, .sleeping: break
            }
        }
        finish()
        return found
    }

    @Test(arguments: [(1, true), (2, true), (1, false), (2, false)] as [(UInt64, Bool)])
    func aWeekHasItsDistanceCadenceAndWorkouts(seed: UInt64, hasPulseLine: Bool) throws {
        let (life, figures) = live(seed, days: 7, hasPulseLine: hasPulseLine)
        var truth = 0.0
        for (episode, range) in zip(life.episodes, life.stepRanges) where !range.isEmpty {
            let length = StepLength.metres(height: 1.75, cadence: Float(episode.cadence))
            truth += Double(length) * Double(range.count)
        }
        func all(_ figure: Figure) -> [FigureValue] {
            figures.compactMap { day in day.first { $0.figure == figure }?.value }
        }
        let distance = Double(all(.distance).reduce(0) { $0 + $1.number })
        #expect(abs(distance / truth - 1) < 0.08, "\(distance) of \(truth) m")
        for (day, cadence) in all(.walkingCadence).enumerated() {
            let walks = life.episodes.filter {
                $0.kind == .walking && UTCDay(containing: $0.start) == Self.firstDay + day
            }
            #expect(walks.map(\.cadence).contains { abs($0 - Double(cadence.number)) <= 4 }, "\(cadence) on day \(day)")
        }
        let found = all(.workouts).flatMap { Figure.workouts.table?.rows(of: $0) ?? [] }.map { row in
            let start = WallTime(secondsSinceEpoch: row[row.startIndex + 1])
            return Spell(
                start: start, end: start + .minutes(row[row.startIndex + 2]), isRunning: row[row.startIndex] == 1)
        }
        // A window a minute finds the ends of a walk to the minute.
        let certain = spells(of: life, minutes: 12)
        let possible = spells(of: life, minutes: 8)
        #expect(certain.allSatisfy { spell in found.contains { $0.isLike(spell) } })
        #expect(found.allSatisfy { spell in possible.contains { $0.isLike(spell) } })
        #expect(found.count >= certain.count)
    }
}

extension WalksDayTests.Spell {
    fileprivate func isLike(_ other: Self) -> Bool {
        let most = Interval.minutes(2)
        return isRunning == other.isRunning && (.zero - most...most).contains(start - other.start)
            && (.zero - most...most).contains(end - other.end)
    }
}
