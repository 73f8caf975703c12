import Quantities

/// A part of an episode in which the wearer keeps one posture and one manner of moving.
struct Scene: Sendable {
    let kind: Episode.Kind
    let start: WallTime
    let end: WallTime
    let posture: Posture
    /// The posture before, from which the wearer moves into this one.
    let before: Posture
    /// How many seconds that takes.
    let settling: Double
    /// How strongly the wearer moves, about 1.
    let vigour: Float
    /// Whether the car stands at lights.
    let isIdling: Bool
    /// Where the noise of this scene begins; no other scene uses the next few hundred lanes.
    let lane: UInt64
    /// Where the steps of the episode stand among those of the life.
    let steps: Range<Int>
    /// From step to step, in seconds.
    let stepPeriod: Double
}
