import Core
import SimulatedBus

/// The acceleration of a sensor on the body in a simulated life.
///
/// The acceleration depends only on the life and the time. Reading in order of time is fast; any other order is
/// allowed. Before and after the life the sensor lies still.
public final class SimulatedWearer: AccelerationSource {
    private let scenes: [Scene]
    private let steps: [WallTime]
    private let warmth: BoardWarmth
    /// The wall clock at boot time zero.
    private let bootedAt: WallTime
    /// The last scene read, and the latest step by then.
    private var sceneIndex = 0
    private var stepIndex = 0

    public init(life: WearerLife, bootedAt: WallTime) {
        scenes = SceneScript.scenes(of: life)
        steps = life.steps
        warmth = BoardWarmth(of: life)
        self.bootedAt = bootedAt
    }

    public func acceleration(at time: BootTime) -> Acceleration {
        let wall = WallTime(nanoseconds: bootedAt.nanoseconds + time.nanoseconds)
        guard let last = scenes.last else { return Acceleration(x: 0, y: 0, z: 1) }
        guard wall < last.end else { return last.posture.up }
        guard wall >= scenes[0].start else { return scenes[0].posture.up }
        findScene(at: wall)
        let scene = scenes[sceneIndex]
        let seconds = Double((wall - scene.start).nanoseconds) * 1e-9
        return scene.felt(at: seconds, stride: scene.steps.isEmpty ? 0 : stride(in: scene, at: wall))
    }

    public func temperature(at time: BootTime) -> Double? {
        warmth.temperature(at: WallTime(nanoseconds: bootedAt.nanoseconds + time.nanoseconds))
    }

    private func findScene(at time: WallTime) {
        if time < scenes[sceneIndex].start { sceneIndex = scenes.count { $0.end <= time } }
        while scenes[sceneIndex].end <= time { sceneIndex += 1 }
    }

    /// Steps taken since the episode began, with the fraction of the present one.
    private func stride(in scene: Scene, at time: WallTime) -> Double {
        if !scene.steps.contains(stepIndex) || time < steps[stepIndex] { stepIndex = scene.steps.lowerBound }
        while stepIndex + 1 < scene.steps.upperBound, steps[stepIndex + 1] <= time { stepIndex += 1 }
        let since = Double((time - steps[stepIndex]).nanoseconds) * 1e-9
        return Double(stepIndex - scene.steps.lowerBound) + since / period(of: stepIndex, in: scene)
    }

    private func period(of step: Int, in scene: Scene) -> Double {
        guard step + 1 < scene.steps.upperBound else { return scene.stepPeriod }
        return Double((steps[step + 1] - steps[step]).nanoseconds) * 1e-9
    }
}
