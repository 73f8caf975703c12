import Core

/// A stay at one place (SPEC §11).
public struct Visit: Equatable, Sendable {
    public let arrived: WallTime
    /// Nil while it goes on.
    public let left: WallTime?
    /// `Fence.number` of the fence that the place lies in; zero outside of all.
    public let place: Int32
    /// The middle of it; nil without the scope `coordinates`.
    public let position: Coordinates?

    public init(arrived: WallTime, left: WallTime?, place: Int32, position: Coordinates?) {
        self.arrived = arrived
        self.left = left
        self.place = place
        self.position = position
    }
}

/// A line in the book of places.
public enum PlaceNote: Equatable, Sendable {
    /// A later one with the same arrival, within less than a minute, takes the place of the earlier.
    case visit(Visit)
    /// The wearer was there: a significant change of place.
    case passed(WallTime, Coordinates)

    /// By which it belongs to a day.
    public var at: WallTime {
        switch self {
        case .visit(let visit): visit.arrived
        case .passed(let time, _): time
        }
    }
}

extension PlaceNote: BookEntry {
    /// Its day, after that beside it from which a visit is taken out where a corrected clock moved its arrival over midnight.
    public var days: [UTCDay] {
        let day = UTCDay(containing: at)
        guard case .visit(let visit) = self else { return [day] }
        let others = [Interval.zero - PlaceDay.arrivalVaries, PlaceDay.arrivalVaries]
            .map { UTCDay(containing: visit.arrived + $0) }
        return others.filter { $0 != day } + [day]
    }

    public func enter(into row: inout PlaceDay, of day: UTCDay) {
        if day == UTCDay(containing: at) {
            row.add(self)
        } else if case .visit(let visit) = self {
            row.remove(visit)
        }
    }
}

extension CollectorEffect {
    /// To be kept with the places of its day.
    static func stayed(_ note: PlaceNote) -> CollectorEffect { .enter(BookNote(note)) }
}
