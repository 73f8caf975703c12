import Core

/// A part of an episode in which the wearer keeps one posture and one manner of moving.
struct Scene: Sendable {
    let kind: Episode.Kind
    let start: WallTime
    let end: WallTime
    let posture: Posture
    /// The posture before, from which the wearer moves into this one.
    let before: Posture
    /// The duration of that movement, in seconds.
    let settling: Double
    /// The strength of the wearer's movement, about 1.
    let vigour: Float
    /// Whether the car stands at lights.
    let isIdling: Bool
    /// The first lane of this scene's noise, drawn at random; no other scene uses the next few hundred lanes.
    let lane: UInt64
    /// The range of the episode's steps among those of the life.
    let steps: Range<Int>
    /// From step to step, in seconds.
    let stepPeriod: Double
}
