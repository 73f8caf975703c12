import Core

/// Writes the scenes of a life: sitting wearers shift, sleepers turn over, and cars stop at lights.
struct SceneScript {
    private var generator: SplitGenerator
    private var scenes: [Scene] = []
    private var current: Posture
    /// The sensor's posture on an upright wearer.
    private let upright: Posture

    /// The scenes from the first episode to the last, without gaps.
    static func scenes(of life: WearerLife) -> [Scene] {
        var script = SceneScript(seed: life.seed)
        for (episode, steps) in zip(life.episodes, life.stepRanges) { script.write(episode, steps) }
        return script.scenes
    }

    private init(seed: UInt64) {
        generator = SplitGenerator(seed: seed, stream: 0x504F_5354)
        upright = .random(using: &generator)
        current = upright
    }

    private mutating func write(_ episode: Episode, _ steps: Range<Int>) {
        let home = posture(for: episode.kind)
        var start = episode.start
        var isIdling = false
        while start < episode.end {
            let end = nextChange(of: episode, after: start, isIdling: isIdling)
            let next = start == episode.start ? home : shifted(from: home, in: episode.kind)
            scenes.append(scene(of: episode, from: start, to: end, in: next, steps, isIdling: isIdling))
            current = next
            start = end
            isIdling = episode.kind == .driving && !isIdling
        }
    }

    private mutating func posture(for kind: Episode.Kind) -> Posture {
        switch kind {
        case .sleeping: upright.leaning(70...110, using: &generator)
        case .sitting, .driving: upright.leaning(25...50, using: &generator)
        case .standing, .walking: upright.leaning(0...6, using: &generator)
        case .running: upright.leaning(4...10, using: &generator)
        case .off: .random(using: &generator)
        }
    }

    /// The time at which the wearer next shifts, turns over or comes to traffic lights; at the latest the end of the
    /// episode. A short remainder belongs to the last scene.
    private mutating func nextChange(of episode: Episode, after start: WallTime, isIdling: Bool) -> WallTime {
        let seconds: ClosedRange<Int64>
        switch episode.kind {
        case .sitting: seconds = 180...720
        case .standing: seconds = 60...240
        case .sleeping: seconds = 900...2400
        case .driving: seconds = isIdling ? 8...30 : 120...360
        case .walking, .running, .off: return episode.end
        }
        let change = start + .seconds(.random(in: seconds, using: &generator))
        return change + .seconds(15) < episode.end ? change : episode.end
    }

    /// Another posture of the same kind, more than five degrees away from the present one.
    private mutating func shifted(from home: Posture, in kind: Episode.Kind) -> Posture {
        switch kind {
        case .sleeping: return current.leaning(35...120, using: &generator)
        case .sitting, .standing: break
        case .walking, .running, .driving, .off: return current
        }
        while true {
            let next = home.leaning(3...14, using: &generator)
            if next.cosine(to: current) < 0.993 { return next }
        }
    }

    private mutating func scene(
        of episode: Episode, from start: WallTime, to end: WallTime, in posture: Posture, _ steps: Range<Int>,
        isIdling: Bool
    ) -> Scene {
        Scene(
            kind: episode.kind, start: start, end: end, posture: posture, before: current,
            settling: .random(in: episode.kind == .sleeping ? 3...8 : 2...5, using: &generator),
            vigour: .random(in: episode.kind.vigour, using: &generator), isIdling: isIdling, lane: generator.next(),
            steps: steps, stepPeriod: episode.cadence > 0 ? 60 / episode.cadence : 0)
    }
}

extension Episode.Kind {
    /// The range of the strength of movement over scenes, relative to `Scene.felt`.
    fileprivate var vigour: ClosedRange<Float> {
        switch self {
        case .sleeping: 0.8...1.3
        case .sitting, .standing: 0.6...1.3
        case .walking: 0.85...1.3
        case .running: 0.9...1.25
        case .driving: 0.7...1.4
        case .off: 1...1
        }
    }
}
