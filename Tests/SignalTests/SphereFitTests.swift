import Core
import SimulatedBus
import Testing

@testable import Signal

@Suite struct SphereFitTests {
    /// Means of a chip with this error, in random positions.
    private func means(
        _ count: Int, _ error: Correction, noise: Float = 0, seed: UInt64, in positions: ClosedRange<Double> = -1...1
    ) -> [Acceleration] {
        var chance = SeededGenerator(seed: seed)
        var noises = GaussianNoise(seed: seed)
        func random() -> Float { Float(noises.next()) }
        return (0..<count).map { _ in
            let z = Float(Double.random(in: positions, using: &chance))
            let (x, y) = (random(), random())
            let flat = (1 - z * z).squareRoot() / (x * x + y * y).squareRoot()
            return error.raw(Acceleration(x: x * flat, y: y * flat, z: z))
                + Acceleration(x: random(), y: random(), z: random()) * noise
        }
    }

    private static let bad = Correction(
        offset: Acceleration(x: 0.08, y: -0.12, z: 0.05), gain: Acceleration(x: 1.06, y: 0.93, z: 1.02))

    private func distance(_ left: Correction, _ right: Correction) -> Float {
        max((left.offset - right.offset).magnitude, (left.gain - right.gain).magnitude)
    }

    @Test func findsGainsAndOffsets() throws {
        let fit = try SphereFit(means(60, Self.bad, seed: 1))
        #expect(distance(fit.correction, Self.bad) < 1e-5)
        #expect(fit.errorBefore > 0.03 && fit.errorAfter < 1e-5)
    }

    @Test func sixPositionsAreEnough() throws {
        let faces = Direction.all.flatMap { direction in
            [0.02, -0.02].map { (tilt: Float) in
                let sign: Float = direction.isPositive ? 1 : -1
                let side = Acceleration(x: tilt, y: tilt, z: tilt)
                let up =
                    switch direction.axis {
                    case .x: Acceleration(x: sign, y: tilt, z: -tilt)
                    case .y: Acceleration(x: -tilt, y: sign, z: tilt)
                    case .z: Acceleration(x: side.x, y: -tilt, z: sign)
                    }
                return Self.bad.raw(up * (1 / up.magnitude))
            }
        }
        #expect(distance(try SphereFit(faces).correction, Self.bad) < 1e-3)
    }

    @Test(arguments: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16] as [UInt64])
    func findsRandomOnesUnderNoise(seed: UInt64) throws {
        var chance = SeededGenerator(seed: seed)
        func random(_ range: ClosedRange<Float>) -> Acceleration {
            Acceleration(
                x: .random(in: range, using: &chance), y: .random(in: range, using: &chance),
                z: .random(in: range, using: &chance))
        }
        let error = Correction(offset: random(-0.15...0.15), gain: random(0.85...1.15))
        let fit = try SphereFit(means(80, error, noise: 0.001, seed: seed))
        #expect(distance(fit.correction, error) < 0.005)
        #expect(fit.errorAfter < 0.002)
    }

    /// As of an arm that moved slowly, within what counts as still.
    @Test func aFewBadWindowsPullLittle() throws {
        var seen = means(60, Self.bad, noise: 0.0005, seed: 3)
        for index in [5, 20, 41] { seen[index] = seen[index] * 1.08 }
        let fit = try SphereFit(seen)
        #expect(distance(fit.correction, Self.bad) < 0.01)
    }

    @Test func refusesBadCoverage() {
        #expect(throws: SphereFit.Refusal.uncovered([Direction(.z, isPositive: false)])) {
            try SphereFit(means(60, .none, seed: 1, in: -0.2...1))
        }
        #expect(throws: SphereFit.Refusal.fewWindows(9)) { try SphereFit(means(9, .none, seed: 1)) }
        #expect(throws: SphereFit.Refusal.fewWindows(0)) { try SphereFit([]) }
        let one = [Acceleration](repeating: Acceleration(x: 0.6, y: 0.6, z: 0.53), count: 40)
        let downwards = Axis.allCases.map { Direction($0, isPositive: false) }
        #expect(throws: SphereFit.Refusal.uncovered(downwards)) { try SphereFit(one) }
    }

    @Test func refusesWindowsThatDoNotDetermineIt() {
        let two = (0..<40).map { Acceleration(x: 0.6, y: 0.6, z: 0.53) * ($0 % 2 == 0 ? 1 : -1) }
        #expect(throws: SphereFit.Refusal.noFit) { try SphereFit(two) }
    }

    @Test func refusesNonsense() {
        let stretched = Correction(offset: .zero, gain: Acceleration(x: 1.4, y: 1, z: 1))
        #expect(throws: SphereFit.Refusal.self) { try SphereFit(means(60, stretched, seed: 1)) }
        let shifted = Correction(offset: Acceleration(x: 0, y: 0.3, z: 0), gain: Correction.none.gain)
        do {
            _ = try SphereFit(means(60, shifted, seed: 1))
            Issue.record("an offset of 0.3 g was taken")
        } catch {
            guard case .offset(let offset, .y) = error else {
                Issue.record("\(error)")
                return
            }
            #expect(abs(offset - 0.3) < 0.001)
        }
        #expect(throws: SphereFit.Refusal.self, "too much noise") {
            try SphereFit(means(60, Self.bad, noise: 0.1, seed: 1))
        }
    }

    @Test(arguments: [Float.nan, .infinity, -.infinity, .greatestFiniteMagnitude, 1e20, 0])
    func survivesHostileNumbers(number: Float) {
        for place in 0..<3 {
            var seen = means(40, Self.bad, seed: 2)
            switch place {
            case 0: seen[7].x = number
            case 1: seen = seen.map { Acceleration(x: $0.x, y: number, z: $0.z) }
            default: seen = seen.map { _ in Acceleration(x: number, y: number, z: number) }
            }
            do {
                let fit = try SphereFit(seen)
                #expect(fit.errorAfter < SphereFit.largestError && number == 0)
            } catch {}
        }
    }

    @Test func whatIsRightIsNotMadeWorse() {
        do {
            let fit = try SphereFit(means(60, .none, noise: 0.0005, seed: 5))
            #expect(distance(fit.correction, .none) < 0.001)
        } catch {
            guard case .notBetter = error else {
                Issue.record("\(error)")
                return
            }
        }
    }

    /// The figure of docs/calibration.md: what counts as movement (ENMO, the length beyond 1 g) of a sensor that lies still.
    @Test func aSensorAtRestShowsNoMovementOnceItIsCorrected() throws {
        let error = Correction(
            offset: Acceleration(x: 0.06, y: -0.08, z: 0.1), gain: Acceleration(x: 1.04, y: 0.96, z: 0.95))
        let seen = means(2000, error, noise: 0.0005, seed: 8)
        func movement(_ correction: Correction) -> Float {
            seen.reduce(0) { $0 + max(correction.applied(to: $1).magnitude - 1, 0) } / Float(seen.count)
        }
        #expect(abs(movement(.none) - 0.05) < 0.003)
        #expect(movement(try SphereFit(seen).correction) < 0.001)
    }

    @Test func aStillWindow() throws {
        let still = (0..<50).map { Acceleration(x: $0 % 2 == 0 ? 0.01 : -0.01, y: 0, z: 1) }
        let window = try #require(StillWindow(still))
        #expect(window.isStill)
        #expect(abs(window.deviation.x - 0.01) < 1e-6 && window.deviation.y == 0)
        #expect(window.mean == Acceleration(x: 0, y: 0, z: 1))
        let moved = try #require(StillWindow(still.map { $0 * 2 }))
        #expect(!moved.isStill)
        #expect(StillWindow([]) == nil)
        #expect(StillWindow(still + [Acceleration(x: .nan, y: 0, z: 0)]) == nil)
        #expect(StillWindow([Acceleration(x: .greatestFiniteMagnitude, y: 0, z: 0), .zero]) == nil)
    }
}

extension Correction {
    /// The sample of a chip that needs this correction.
    func raw(_ felt: Acceleration) -> Acceleration {
        Acceleration(x: felt.x / gain.x, y: felt.y / gain.y, z: felt.z / gain.z) + offset
    }
}
