import Domains
import Glibc
import Core
import Recordings

/// Plays a real track to the location collector, without an IMU, and compares its visits with the stays found by a
/// script.
///
/// The script lists only some of the stays; other visits are compared with the track itself.
public struct TrackTrial: Sendable {
    /// In seconds of the track.
    public private(set) var visits: [ClosedRange<Double>] = []
    /// The stays of the list.
    public let stays: [ClosedRange<Double>]
    /// The number of listed stays of which a visit covers at least half.
    public private(set) var found = 0
    /// The number of visits in which more than a tenth of the track is outside the circle of a visit.
    public private(set) var wrong = 0

    /// The typical error of phones of those years; the tracks contain no estimate.
    private static let error = 10.0
    private let settings = LocationSettings()

    public init(_ track: TrackTable, stays: [ClosedRange<Double>]) {
        self.stays = stays
        play(track)
        found =
            stays.filter { stay in
                visits.contains {
                    min($0.upperBound, stay.upperBound) - max($0.lowerBound, stay.lowerBound) >= 0.5 * stay.length
                }
            }.count
        wrong = visits.filter { isOnTheMove(track.rows.filter(during: $0)) }.count
    }

    private func isOnTheMove(_ rows: [TrackTable.Row]) -> Bool {
        guard let first = rows.first else { return false }
        let count = Double(rows.count)
        let middle = TrackTable.Row(
            time: first.time, latitude: rows.reduce(0) { $0 + $1.latitude } / count,
            longitude: rows.reduce(0) { $0 + $1.longitude } / count)
        let outside = rows.filter { $0.metres(to: middle) > Double(settings.visitRadius) }.count
        return Double(outside) > count / 10
    }

    private mutating func play(_ track: TrackTable) {
        guard var collector = Domain.location.collector?.init(DomainValues()), let first = track.rows.first else {
            return
        }
        // Times of the clock are seconds of the track.
        let clock = TrustedClock(began: WallTime(secondsSinceEpoch: 1_768_435_200), source: .kernel, since: .zero)
        _ = collector.handle(.began(.placeEvents, servedBy: .gpsd), at: .zero)
        var before = first
        for row in track.rows {
            let now = BootTime(nanoseconds: Int64((row.time - first.time) * 1e9))
            while let agenda = collector.agenda(at: now), agenda <= now {
                take(collector.handle(.woke(clock), at: agenda), clock, first.time)
                if collector.agenda(at: agenda).map({ $0 <= agenda }) ?? false { break }
            }
            let speed = row.time > before.time ? before.metres(to: row) / (row.time - before.time) : 0
            before = row
            guard collector.signals.contains(.position),
                let place = Coordinates(latitude: row.latitude, longitude: row.longitude)
            else { continue }
            let fix = Fix(at: now, place, error: Self.error, speed: speed)
            take(collector.handle(.fixes([fix], clock), at: now), clock, first.time)
        }
        let end = BootTime(nanoseconds: Int64((before.time - first.time) * 1e9))
        take(collector.handle(.finished(clock), at: end), clock, first.time)
    }

    private mutating func take(_ effects: [CollectorEffect], _ clock: TrustedClock, _ begin: Double) {
        for case .enter(let note) in effects {
            guard case .visit(let visit)? = note.entry as? PlaceNote, let left = visit.left else { continue }
            let start = (visit.arrived - clock.began).seconds + begin
            visits.append(start...max(start, (left - clock.began).seconds + begin))
        }
    }
}

extension BootTime {
    fileprivate static let zero = BootTime(nanoseconds: 0)
}

extension Interval {
    fileprivate var seconds: Double { Double(nanoseconds) / 1e9 }
}

extension ClosedRange<Double> {
    fileprivate var length: Double { upperBound - lowerBound }
}

extension [TrackTable.Row] {
    fileprivate func filter(during span: ClosedRange<Double>) -> [TrackTable.Row] { filter { span.contains($0.time) } }
}

extension TrackTable.Row {
    /// Distance to a nearby place.
    fileprivate func metres(to other: TrackTable.Row) -> Double {
        let north = (other.latitude - latitude) * 111_194.93
        let east = (other.longitude - longitude) * 111_194.93 * cos(latitude * .pi / 180)
        return (north * north + east * east).squareRoot()
    }
}
