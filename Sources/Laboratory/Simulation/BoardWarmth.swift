import Glibc
import Quantities

/// How warm the chip's board is: as warm as its wearer keeps it, and cooling towards the room on a table.
struct BoardWarmth: Sendable {
    /// Degrees Celsius.
    private static let room = 22.0
    private static let worn = 31.0
    /// Seconds in which a difference falls to 1/e: those of a small board in its case.
    private static let timeConstant = 600.0

    /// From `start` on the board approaches `target`, from `degrees`.
    fileprivate struct Phase {
        let start: WallTime
        let degrees: Double
        let target: Double

        func degrees(at time: WallTime) -> Double {
            let seconds = Double((time - start).nanoseconds) * 1e-9
            return target + (degrees - target) * exp(-seconds / BoardWarmth.timeConstant)
        }
    }

    /// One for each time that the sensor is put off or on; the first one has lasted for ever.
    private let phases: [Phase]

    /// After the life the sensor lies there.
    init(of life: WearerLife) {
        var phases = [Phase(start: life.start, degrees: Self.worn, target: Self.worn)]
        for episode in life.episodes {
            phases.approach(episode.kind == .off ? Self.room : Self.worn, from: episode.start)
        }
        phases.approach(Self.room, from: life.end)
        self.phases = phases
    }

    func temperature(at time: WallTime) -> Double {
        let phase = phases.last { $0.start <= time } ?? phases[0]
        return phase.degrees(at: max(time, phase.start))
    }
}

extension [BoardWarmth.Phase] {
    fileprivate mutating func approach(_ target: Double, from start: WallTime) {
        guard let last, last.target != target else { return }
        append(BoardWarmth.Phase(start: start, degrees: last.degrees(at: start), target: target))
    }
}
