import Core
import Signal
import SimulatedBus
import Testing

@testable import Simulation

@Suite struct SimulatedWearerTests {
    private static let life = SimulatedLifeTests.week(1)

    private func wearer() -> SimulatedWearer { SimulatedWearer(life: Self.life, bootedAt: Self.life.start) }

    private func boot(_ time: WallTime) -> BootTime { BootTime(nanoseconds: (time - Self.life.start).nanoseconds) }

    @Test func whatIsFeltDoesNotDependOnWhatWasAskedBefore() {
        let dense = wearer()
        let sparse = wearer()
        var generator = SeededGenerator(seed: 4)
        for second in stride(from: Int64(25_000), to: 40_000, by: 1) {
            let time = BootTime(nanoseconds: second * 1_000_000_000)
            let felt = dense.acceleration(at: time)
            if generator.next() % 100 == 0 { #expect(sparse.acceleration(at: time) == felt, "at second \(second)") }
        }
        let early = BootTime(nanoseconds: 30_000_500_000_000)
        #expect(dense.acceleration(at: early) == wearer().acceleration(at: early))
    }

    @Test func anotherSeedFeelsOtherwise() {
        let other = SimulatedWearer(life: SimulatedLifeTests.week(2), bootedAt: Self.life.start)
        let time = BootTime(nanoseconds: 30_000_000_000_000)
        #expect(other.acceleration(at: time) != wearer().acceleration(at: time))
    }

    @Test func outsideTheLifeTheSensorLiesStill() {
        let wearer = wearer()
        let after = boot(Self.life.end)
        #expect(abs(wearer.acceleration(at: after).magnitude - 1) < 0.001)
        #expect(wearer.acceleration(at: after) == wearer.acceleration(at: after + .hours(5)))
    }

    @Test func theBoardCoolsOnATableAndIsWarmOnTheWearer() throws {
        let wearer = wearer()
        func degrees(_ time: WallTime) throws -> Double { try #require(wearer.temperature(at: boot(time))) }
        let off = try #require(Self.life.episodes.first { $0.kind == .off })
        #expect(try abs(degrees(off.start) - 31) < 0.01)
        #expect(try abs(degrees(off.start + .minutes(10)) - (22 + 9 / 2.718)) < 0.01)
        #expect(try abs(degrees(off.end) - 22) < 0.1)
        #expect(try abs(degrees(off.end + .minutes(10)) - (31 - 9 / 2.718)) < 0.1)
        #expect(try abs(degrees(off.start - .hours(5)) - 31) < 0.01)
        #expect(try abs(degrees(Self.life.end + .hours(2)) - 22) < 0.01)
    }

    @Test func scenesCoverAllTimeAndSittersShiftByMoreThanFiveDegrees() {
        let scenes = SceneScript.scenes(of: Self.life)
        #expect(scenes.first?.start == Self.life.start)
        #expect(scenes.last?.end == Self.life.end)
        for (scene, next) in zip(scenes, scenes.dropFirst()) {
            #expect(scene.end == next.start)
            if scene.kind == .sitting, next.kind == .sitting {
                #expect(next.posture.cosine(to: scene.posture) < 0.9962)
            }
            if scene.kind == .sitting { #expect(scene.end - scene.start <= .minutes(13)) }
        }
    }

    /// A car at lights stands.
    @Test(arguments: Episode.Kind.allCases) func theClassifierRecognisesWhatTheWearerDoes(kind: Episode.Kind) {
        let wearer = wearer()
        var noise = GaussianNoise(seed: 7)
        var judged = 0
        var right = 0
        for scene in SceneScript.scenes(of: Self.life) where scene.kind == kind && !scene.isIdling {
            var judge = ActivityJudge()
            var start = scene.start + .seconds(10)
            while start + Window.duration < scene.end {
                let spacing = Interval.seconds(kind == .sleeping || kind == .sitting ? 307 : 31)
                let judgement = judge.judge(ActivityFeatures(window(of: wearer, at: start, &noise)), after: spacing)
                if judgement.confidence > .low { judged += 1 }
                if judgement.confidence > .low, judgement.activity == kind.activity { right += 1 }
                start = start + spacing
            }
        }
        #expect(judged > 50)
        #expect(right * 100 >= judged * 95, "\(right) of \(judged) windows")
    }

    /// At 25 Hz, with the noise of an MPU-6050 behind its 10 Hz filter.
    private func window(of wearer: SimulatedWearer, at start: WallTime, _ noise: inout GaussianNoise) -> Window {
        let samples = (0..<Int64(Window.length)).map { index in
            let felt = wearer.acceleration(at: boot(start + .milliseconds(40 * index)))
            let hiss = Acceleration(x: Float(noise.next()), y: Float(noise.next()), z: Float(noise.next()))
            return felt + hiss * 0.0013
        }
        return Window(samples).unsafelyUnwrapped
    }
}
