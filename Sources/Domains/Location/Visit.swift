import Core

/// A stay at one place (SPEC §11).
public struct Visit: Equatable, Sendable {
    public let arrived: WallTime
    /// Nil while it lasts.
    public let left: WallTime?
    /// `Fence.number` of the fence around the place; zero outside all.
    public let place: Int32
    /// Its middle; nil without the scope `coordinates`.
    public let position: Coordinates?

    public init(arrived: WallTime, left: WallTime?, place: Int32, position: Coordinates?) {
        self.arrived = arrived
        self.left = left
        self.place = place
        self.position = position
    }
}

/// An entry in the book of places.
public enum PlaceNote: Equatable, Sendable {
    /// Replaces an earlier one with the same arrival, within less than a minute.
    case visit(Visit)
    /// The wearer was there: a significant change of place.
    case passed(WallTime, Coordinates)

    /// The time that decides its day.
    public var at: WallTime {
        switch self {
        case .visit(let visit): visit.arrived
        case .passed(let time, _): time
        }
    }
}

extension PlaceNote: BookEntry {
    /// Its day; before it the neighbouring day, from which a visit is removed if a corrected clock moved its arrival
    /// over midnight.
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
    /// Stores the note with the places of its day.
    static func stayed(_ note: PlaceNote) -> CollectorEffect { .enter(BookNote(note)) }
}
