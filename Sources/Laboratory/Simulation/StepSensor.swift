import Core

/// A simulated step sensor on a GPIO line: an edge for nearly every step, and some stray edges.
public enum StepSensor {
    /// Every edge, oldest first: most steps a few milliseconds late, some missed (0.2 %), some with a contact bounce (4
    /// %), stray edges while the wearer sits, and more, without a rhythm, in a car.
    public static func edges(of life: WearerLife) -> [WallTime] {
        var generator = SplitGenerator(seed: life.seed, stream: 0x4544_4745)
        var edges: [WallTime] = []
        for (episode, range) in zip(life.episodes, life.stepRanges) {
            for step in life.steps[range] { edges += contacts(of: step, using: &generator) }
            edges += strayEdges(in: episode, using: &generator)
        }
        return edges.sorted()
    }

    /// The edges after debouncing: without those too close after an accepted one.
    public static func pulses(of life: WearerLife, debounce: Interval = .milliseconds(50)) -> [WallTime] {
        var pulses: [WallTime] = []
        for edge in edges(of: life) {
            if let last = pulses.last, edge - last < debounce { continue }
            pulses.append(edge)
        }
        return pulses
    }

    private static func contacts(of step: WallTime, using generator: inout SplitGenerator) -> [WallTime] {
        let luck = Double.random(in: 0..<1, using: &generator)
        guard luck >= 0.002 else { return [] }
        let edge = step + .milliseconds(.random(in: 0...6, using: &generator))
        guard luck >= 0.96 else { return [edge] }
        return [edge, edge + .milliseconds(.random(in: 3...40, using: &generator))]
    }

    private static func strayEdges(in episode: Episode, using generator: inout SplitGenerator) -> [WallTime] {
        guard let spacing = episode.kind.strayEdgeSpacing else { return [] }
        var edges: [WallTime] = []
        var next = episode.start
        while true {
            next = next + .milliseconds(.random(in: 100...(2 * spacing.inMilliseconds), using: &generator))
            guard next < episode.end else { return edges }
            edges.append(next)
        }
    }
}

extension Episode.Kind {
    /// The mean time between stray edges; nil for none.
    fileprivate var strayEdgeSpacing: Interval? {
        switch self {
        case .sitting, .standing: .minutes(20)
        case .driving: .seconds(8)
        case .sleeping, .walking, .running, .off: nil
        }
    }
}
