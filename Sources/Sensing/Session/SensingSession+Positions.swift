import Domains
import Devices
import Core

/// The fixes of gpsd.
extension SensingSession {
    mutating func take(_ fixes: [Fix], at now: Instant) -> [SensingAction] {
        guard isOpen(.positions) else { return [] }
        var actions = fixes.isEmpty ? [] : take(.worked, of: .positions, at: now)
        if let began = receiverTime.agreed(fixes), let heard = TrustedClock.heard(began, at: now.boot, known: clock) {
            actions += followClock(heard, at: now)
        }
        guard !fixes.isEmpty else { return actions }
        return actions + tell(.fixes(fixes, clock), served(by: .positions), at: now)
    }
}

/// The time of the receiver: three successive 3D fixes that agree are trusted (SPEC §10).
struct ReceiverTime: Sendable {
    /// The wall times at boot time zero, by the latest fixes.
    private var readings: [WallTime] = []
    private var latest: WallTime?

    private static let enough = 3
    /// Fixes arrive some tenths of a second after their time.
    private static let tolerance = Interval.seconds(1)

    private static func agree(_ one: WallTime, _ other: WallTime) -> Bool {
        (max(one, other) - min(one, other)) < tolerance
    }

    /// The wall time at boot time zero, once enough fixes agree.
    mutating func agreed(_ fixes: [Fix]) -> WallTime? {
        for fix in fixes {
            guard fix.mode == .threeD, let wall = fix.wall else {
                readings = []
                continue
            }
            // A repeated fix is no new evidence.
            guard wall != latest else { continue }
            let isBehind = latest.map { wall < $0 } ?? false
            latest = wall
            let began = WallTime(nanoseconds: wall.nanoseconds - fix.at.nanoseconds)
            if isBehind || readings.first.map({ !Self.agree($0, began) }) ?? false { readings = [] }
            readings = (readings + [began]).suffix(Self.enough)
        }
        // The fix with the shortest delay is the most accurate.
        return readings.count == Self.enough ? readings.max() : nil
    }
}
