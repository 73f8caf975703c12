import Core

/// Detects when the wearer enters and leaves one fence: fixes must show the other side beyond their errors for the
/// dwell time, in both directions.
struct FenceWatch: Sendable {
    let fence: Fence
    private let centre: Coordinates
    private let radius: Double
    private let dwell: Interval
    /// Identifies the circle in the stored state, which holds no coordinates (FNV-1a).
    let digest: UInt32
    /// Nil until a fix first showed the side beyond doubt.
    private(set) var isInside: Bool?
    /// Whether a fix was farther from the border than `margin` since the latest change of sides. Until then the way
    /// back must be: a wearer who stays at the border, where fixes drift back and forth, crosses it once.
    private var isSettled = false
    /// Pending crossing, not yet confirmed.
    private var change: Change?

    private struct Change {
        let isInside: Bool
        let since: BootTime
        var latest: BootTime
        var count = 1
        /// Whether a fix of it was farther from the border than `margin`.
        var isFar: Bool
        /// Whether to wait for the end of the dwell time.
        var isAwaited = true
    }

    /// The fewest fixes that show a change.
    private static let leastFixes = 4
    /// The longest wait for the end of the dwell time without a fix.
    private static let longestWait = Interval.seconds(5)
    /// Metres by which the fixes of a wearer at rest may differ beyond their errors.
    private static let margin = FixFilter.slack

    /// Nil for a fence without a centre.
    init?(_ fence: Fence, dwell: Interval) {
        guard let centre = fence.centre else { return nil }
        self.fence = fence
        self.centre = centre
        radius = Double(fence.radius)
        self.dwell = dwell
        var packer = Packer()
        packer.put(centre.latitude.bitPattern)
        packer.put(centre.longitude.bitPattern)
        packer.put(fence.radius)
        digest = packer.bytes.reduce(2_166_136_261) { ($0 ^ UInt32($1)) &* 16_777_619 }
    }

    /// Whether more fixes are needed to decide.
    var isUndecided: Bool { change != nil }

    /// The end of the dwell time of the pending change, if fixes continue; nil if there is none near its end.
    var decidesAt: BootTime? {
        guard let change, change.isAwaited, change.count >= Self.leastFixes else { return nil }
        let rest = max(dwell - (change.latest - change.since), .zero)
        return rest <= Self.longestWait ? change.latest + rest : nil
    }

    /// Metres from a place to the border. If they are above `limit`, the result may be any smaller value above `limit`.
    func distance(from place: Coordinates, exactUpTo limit: Double) -> Double {
        abs(place.distance(to: centre, exactUpTo: radius + limit) - radius)
    }

    func contains(_ place: Coordinates) -> Bool { place.distance(to: centre, exactUpTo: radius) <= radius }

    /// Takes a believed fix. Returns the time when the wearer changed sides, once confirmed; the first side is no
    /// change.
    mutating func take(_ fix: Fix) -> BootTime? {
        let error = fix.error ?? 0
        let away = fix.position.distance(to: centre, exactUpTo: radius + error + Self.margin)
        let side = away <= radius
        // The least possible distance from the border.
        let distance = abs(away - radius) - error
        let isFar = distance > Self.margin
        if side == isInside { isSettled = isSettled || isFar }
        let isBeyondDoubt = distance > 0 && (isInside == nil || isSettled || isFar)
        guard isBeyondDoubt, side != isInside else {
            change = nil
            return nil
        }
        if var change, change.isInside == side, fix.at - change.latest <= Fix.longestPause {
            (change.latest, change.isAwaited) = (fix.at, true)
            change.count += 1
            change.isFar = change.isFar || isFar
            self.change = change
        } else {
            change = Change(isInside: side, since: fix.at, latest: fix.at, isFar: isFar)
        }
        return decide(at: fix.at)
    }

    /// Decides a change whose dwell time ends between two fixes.
    mutating func decide(at now: BootTime) -> BootTime? {
        guard let change, let decidesAt, decidesAt <= now else { return nil }
        guard now - change.latest <= Self.longestWait else {
            // Fixes have stopped; the next one decides.
            self.change?.isAwaited = false
            return nil
        }
        let isFirst = isInside == nil
        (isInside, isSettled) = (change.isInside, change.isFar)
        self.change = nil
        return isFirst ? nil : change.since
    }

    /// The receiver is released: pending changes are dropped.
    mutating func interrupt() { change = nil }

    mutating func restore(isInside: Bool) { self.isInside = isInside }
}
