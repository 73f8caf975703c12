import Glibc
import Core

/// The temperature of the chip's board: warmed by its wearer, and cooling towards the room on a table.
struct BoardWarmth: Sendable {
    /// Degrees Celsius.
    private static let room = 22.0
    private static let worn = 31.0
    /// Seconds in which a difference falls to 1/e, for a small board in its case.
    private static let timeConstant = 600.0

    /// A phase in which the board approaches `target` from `degrees`, beginning at `start`.
    fileprivate struct Phase {
        let start: WallTime
        let degrees: Double
        let target: Double

        func degrees(at time: WallTime) -> Double {
            let seconds = Double((time - start).nanoseconds) * 1e-9
            return target + (degrees - target) * exp(-seconds / BoardWarmth.timeConstant)
        }
    }

    /// One phase for each time that the sensor is taken off or put on; the first begins at the start.
    private let phases: [Phase]

    /// The temperatures during a life. The sensor lies on a table after its end.
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
