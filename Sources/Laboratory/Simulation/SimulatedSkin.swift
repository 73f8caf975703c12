import Core
import SimulatedBus

/// What a pulse oximeter at the wrist sees in a simulated life: a heart that beats as fast as the wearer is active.
///
/// The rates are round numbers of a rested adult, without a source. Movement adds nothing to the light.
public struct SimulatedSkin: Sendable {
    private let episodes: [Episode]
    /// The wall clock at boot time zero.
    private let bootedAt: WallTime

    public init(_ life: WearerLife, bootedAt: WallTime) {
        episodes = life.episodes
        self.bootedAt = bootedAt
    }

    /// In beats a minute; nil for a device that is not worn.
    public func rate(at time: WallTime) -> Double? {
        guard let episode = episodes.first(where: { $0.end > time }), episode.start <= time else { return nil }
        return switch episode.kind {
        case .sleeping: 54
        case .sitting: 66
        case .standing: 76
        case .driving: 70
        case .walking: 98
        case .running: 145
        case .off: nil
        }
    }

    /// In counts for 1 mA. A wrist returns a tenth of the light of a finger.
    public func light(at time: BootTime) -> (red: Double, infrared: Double) {
        guard let rate = rate(at: WallTime(nanoseconds: bootedAt.nanoseconds + time.nanoseconds)) else { return (0, 0) }
        return SimulatedFinger(beatsPerMinute: rate, red: 1_800, infrared: 2_000).light(at: time)
    }
}
