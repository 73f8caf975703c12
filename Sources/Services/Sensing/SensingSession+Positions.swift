import Domains
import Ports
import Quantities
import Timekeeping

/// The states of the connection to gpsd. It is held only while a collector wants fixes: the receiver sleeps without a client.
extension SensingSession {
    enum PositionsPhase: Equatable {
        case off
        case opening
        case open
        case down(retryAt: BootTime)
    }

    private var wantsPositions: Bool {
        order != nil && !allowed.isDisjoint(with: positionDomains) && signals.contains(.position)
    }

    /// Takes the receiver where a collector wants it, and lets it go where none does any more.
    mutating func followReceiver(at now: Instant) -> [SensingAction] {
        switch positions {
        case .off where wantsPositions:
            positions = .opening
            return [.openPositions]
        case .open where !wantsPositions: return releasePositions()
        // Whoever wants it again waits no longer than for the retry.
        case .down(let retryAt) where !wantsPositions && retryAt <= now.boot:
            positions = .off
            return []
        default: return []
        }
    }

    mutating func positionsOpened(at now: Instant) -> [SensingAction] {
        guard positions == .opening else { return [] }
        positions = .open
        return tell(.opened, positionDomains.intersection(allowed), at: now)
    }

    /// The connection is closed until it is tried again, or until its domain is ordered anew.
    mutating func positionsFailed(_ fault: DeviceFault, at now: Instant) -> [SensingAction] {
        guard positions != .off else { return [] }
        let told = tell(.interrupted, positionDomains.intersection(allowed), at: now)
        switch setback(by: fault, of: \.positionsHealth, SensingNote.positionsFailed, at: now) {
        case .lost(let obstacle): return told + releasePositions() + lose(positionDomains, to: obstacle, fault.reason)
        case .retry(let time, let notes):
            positions = .down(retryAt: time)
            return told + [.closePositions] + notes
        }
    }

    /// Connects again after a failure.
    mutating func positionsDue(at now: Instant) -> [SensingAction] {
        guard case .down(let retryAt) = positions, retryAt <= now.boot, wantsPositions else { return [] }
        positions = .opening
        return [.openPositions]
    }

    mutating func take(_ fixes: [Fix], at now: Instant) -> [SensingAction] {
        guard positions == .open else { return [] }
        var actions: [SensingAction] = []
        if positionsHealth != .working, !fixes.isEmpty {
            positionsHealth = .working
            actions.append(.note(.positionsRecovered))
        }
        if let began = receiverTime.agreed(fixes), let heard = TrustedClock.heard(began, at: now.boot, known: clock) {
            actions += followClock(heard, at: now)
        }
        guard !fixes.isEmpty else { return actions }
        return actions + tell(.fixes(fixes, clock), positionDomains.intersection(allowed), at: now)
    }

    mutating func releasePositions() -> [SensingAction] {
        let wasHeld = positions != .off
        positions = .off
        receiverTime = ReceiverTime()
        return wasHeld ? [.closePositions] : []
    }

    /// The time at which gpsd is to be tried again.
    var positionsWake: BootTime? {
        guard case .down(let retryAt) = positions else { return nil }
        return retryAt
    }
}

/// The time of the receiver: three 3D fixes in a row that agree are believed (SPEC §10).
struct ReceiverTime: Sendable {
    /// The wall times at which this boot's clock stood at zero, by the latest fixes.
    private var readings: [WallTime] = []
    private var latest: WallTime?

    private static let enough = 3
    /// Fixes arrive some tenths of a second after their time.
    private static let tolerance = Interval.seconds(1)

    private static func agree(_ one: WallTime, _ other: WallTime) -> Bool {
        (max(one, other) - min(one, other)) < tolerance
    }

    /// The wall time at which the boot-time clock stood at zero, once enough fixes agree about it.
    mutating func agreed(_ fixes: [Fix]) -> WallTime? {
        for fix in fixes {
            guard fix.mode == .threeD, let wall = fix.wall else {
                readings = []
                continue
            }
            // A repeated one shows nothing.
            guard wall != latest else { continue }
            let isBehind = latest.map { wall < $0 } ?? false
            latest = wall
            let began = WallTime(nanoseconds: wall.nanoseconds - fix.at.nanoseconds)
            if isBehind || readings.first.map({ !Self.agree($0, began) }) ?? false { readings = [] }
            readings = (readings + [began]).suffix(Self.enough)
        }
        // The one that was underway for the shortest time is the nearest to the truth.
        return readings.count == Self.enough ? readings.max() : nil
    }
}
