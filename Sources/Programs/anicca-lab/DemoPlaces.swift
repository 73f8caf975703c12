import Domains
import Store
import Core
import Simulation

/// The trips of the demo's wearer between home and work, and the reported crossings.
struct DemoPlaces {
    /// By day: the crossings of both borders.
    private let truth: [LifeReceiver.Crossing]
    private let visits: Int

    init(_ world: DemoWorld, _ ledger: Ledger) throws(LedgerError) {
        truth = (world.devices.receiver?.crossings ?? []).filter { $0.at < world.end }
        visits = try ledger.bookDays(PlaceDay.self).reduce(0) { $0 + $1.row.visits.count { $0.arrived < world.end } }
    }

    /// For people; nil without trips.
    func text(_ told: [ReceivedRecords.Event]) -> String? {
        truth.isEmpty
            ? nil
            : "The server received \(crossings(told).count) of \(truth.count) arrivals and departures; "
                + "\(visits) visits are stored."
    }

    /// The first event that is false or missing; nil if all agree.
    func shortfall(_ told: [ReceivedRecords.Event]) -> String? {
        let told = crossings(told)
        for crossing in truth {
            let word = crossing.isEntered ? "entered" : "left"
            if !told.contains(where: { $0.isOf(crossing) }) {
                return "no event for \(crossing.place), \(word) at \(crossing.at)"
            }
        }
        if let wrong = told.first(where: { event in !truth.contains { event.isOf($0) } }) {
            return "\(wrong.eventType) \(wrong.place ?? "-") at \(wrong.timestamp) is a false event"
        }
        guard told.count <= truth.count else {
            return "\(told.count) crossings were reported, \(truth.count) are expected"
        }
        return visits > truth.count / 2 ? nil : "only \(visits) visits are stored"
    }

    private func crossings(_ events: [ReceivedRecords.Event]) -> [ReceivedRecords.Event] {
        let kinds = [EventKind.geofenceEntered.description, EventKind.geofenceExited.description]
        return events.filter {
            kinds.contains($0.eventType)
                && (WallTime($0.timestamp) ?? .distant) < (truth.last?.at ?? .distant) + Self.tolerance
        }
    }

    static let tolerance = Interval.minutes(20)
}

extension WallTime {
    fileprivate static let distant = WallTime(nanoseconds: 0)
}

extension ReceivedRecords.Event {
    fileprivate func isOf(_ crossing: LifeReceiver.Crossing) -> Bool {
        let kind = crossing.isEntered ? EventKind.geofenceEntered : .geofenceExited
        guard eventType == kind.description, place == crossing.place, let at = WallTime(timestamp) else { return false }
        return at > crossing.at - .minutes(2) && at < crossing.at + DemoPlaces.tolerance
    }
}
