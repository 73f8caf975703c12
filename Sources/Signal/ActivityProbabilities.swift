import Core

/// The probability of each activity; the sum is 1.
public struct ActivityProbabilities: Equatable, Sendable {
    public private(set) var stationary: Float
    public private(set) var walking: Float
    public private(set) var running: Float
    public private(set) var automotive: Float
    public private(set) var unknown: Float

    /// All activities are equally likely.
    public static let even = ActivityProbabilities { _ in 1 }

    /// - Parameter weight: of each activity, 0 or more and not all 0; scaled to a sum of 1.
    public init(_ weight: (Activity) -> Float) {
        stationary = weight(.stationary)
        walking = weight(.walking)
        running = weight(.running)
        automotive = weight(.automotive)
        unknown = weight(.unknown)
        let share = 1 / sum
        stationary *= share
        walking *= share
        running *= share
        automotive *= share
        unknown *= share
    }

    private var sum: Float { stationary + walking + running + automotive + unknown }

    public subscript(activity: Activity) -> Float {
        switch activity {
        case .stationary: stationary
        case .walking: walking
        case .running: running
        case .automotive: automotive
        case .unknown: unknown
        }
    }

    /// The probabilities one step later. `chance` gives the transition probability from the first activity to the
    /// second.
    func carried(by chance: (Activity, Activity) -> Float) -> ActivityProbabilities {
        ActivityProbabilities { next in
            stationary * chance(.stationary, next) + walking * chance(.walking, next)
                + running * chance(.running, next) + automotive * chance(.automotive, next)
                + unknown * chance(.unknown, next)
        }
    }

    /// With the weights of walking and running multiplied by `factor`.
    func doubtingGait(by factor: Float) -> ActivityProbabilities {
        ActivityProbabilities { self[$0] * ($0 == .walking || $0 == .running ? factor : 1) }
    }

    /// The likeliest activity; among equally likely ones `unknown`, or else the first in the order of `Activity`.
    public var likeliest: Activity {
        var best = Activity.unknown
        if stationary > self[best] { best = .stationary }
        if walking > self[best] { best = .walking }
        if running > self[best] { best = .running }
        if automotive > self[best] { best = .automotive }
        return best
    }
}

extension ActivityProbabilities {
    public func pack(into packer: inout Packer) {
        packer.put(stationary)
        packer.put(walking)
        packer.put(running)
        packer.put(automotive)
        packer.put(unknown)
    }

    /// Restores the probabilities that `pack` wrote. Throws if a number is negative or the sum is not 1.
    public init(from unpacker: inout Unpacker) throws(Unpacker.Malformed) {
        stationary = try unpacker.takeFloat()
        walking = try unpacker.takeFloat()
        running = try unpacker.takeFloat()
        automotive = try unpacker.takeFloat()
        unknown = try unpacker.takeFloat()
        guard min(stationary, walking, running, automotive, unknown) >= 0, abs(sum - 1) < 1e-3
        else { throw Unpacker.Malformed() }
    }
}
