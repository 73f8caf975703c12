import Core

/// A part of an episode in which the wearer keeps one posture and one manner of moving.
struct Scene: Sendable {
    let kind: Episode.Kind
    let start: WallTime
    let end: WallTime
    let posture: Posture
    /// The previous posture, from which the wearer moves into this one.
    let before: Posture
    /// The duration of that movement, in seconds.
    let settling: Double
    /// The strength of the wearer's movement, about 1.
    let vigour: Float
    /// Whether the car waits at traffic lights.
    let isIdling: Bool
    /// The first lane of this scene's noise, drawn at random; it uses the next few hundred lanes exclusively.
    let lane: UInt64
    /// The range of the episode's steps in the steps of the life.
    let steps: Range<Int>
    /// The time between steps, in seconds.
    let stepPeriod: Double
}
