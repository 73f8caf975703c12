import Core
import Domains
import Sensing
import Signal
import Testing

@testable import Simulation

/// Made-up weeks of a wearer on simulated devices, with motion, steps and walks on.
@Suite struct WalksDayTests {
    static let firstDay = UTCDay(daysSinceEpoch: 20_101)

    private static let all = CollectionOrder(domains: [.motion, .steps, .walks])

    /// A wearer of 175 cm and 72 kg.
    private struct Bench {
        let life: WearerLife
        let store = MemoryStore()
        private let clock: VirtualClock
        let service: SensingService
        private let run: ServiceRun

        init(_ seed: UInt64, days: Int, hasPulseLine: Bool) {
            life = WearerLife(firstDay: firstDay, days: days, seed: seed)
            clock = VirtualClock(bootingAt: life.start)
            let devices = SimulatedDevices(life: life, clock: clock, hasPulseLine: hasPulseLine)
            var profile = WearerProfile()
            (profile.height, profile.weight) = (175, 72)
            store.rows = [profile]
            service = SensingService(
                rules: SensingRules(), devices: devices, store: store, note: { _ in }, signal: {})
            run = ServiceRun(service: service, devices: devices, seed: life.seed)
        }

        func live(until end: WallTime, _ order: CollectionOrder) {
            service.allow(order, at: clock.now)
            run.run(until: end)
        }

        func stop() { service.stop(at: clock.now) }
    }

    /// A life, and what was stored of it.
    private func live(_ seed: UInt64, days: Int, hasPulseLine: Bool) -> (life: WearerLife, figures: [[ClosedDay.Entry]])
    {
        let bench = Bench(seed, days: days, hasPulseLine: hasPulseLine)
        bench.live(until: bench.life.end, Self.all)
        bench.stop()
        return (
            bench.life, (0..<days).map { bench.store.figures(of: Self.firstDay + $0, with: bench.service.session) }
        )
    }

    @Test func whileMotionIsOffWalksTakesNoStepThatTheStepSensorCounts() throws {
        let bench = Bench(1, days: 1, hasPulseLine: true)
        func live(until hour: Int64, _ order: CollectionOrder) -> (steps: Int64, metres: Int64) {
            bench.live(until: bench.life.start + .hours(hour), order)
            func total(_ figure: Figure) -> Int64 { bench.store.total(of: figure, with: bench.service.session) ?? 0 }
            return (total(.steps), total(.distance))
        }
        let noon = live(until: 12, Self.all)
        let evening = live(until: 23, CollectionOrder(domains: DomainSet(.steps), suspended: DomainSet(.walks)))
        let night = live(until: 24, Self.all)
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
