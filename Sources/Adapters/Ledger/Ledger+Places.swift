import Consent
import Domains
import Quantities

/// The visits and, where the wearer agreed to it, the coordinates: a sealed row of `book` for each UTC day.
extension Ledger {
    /// What is kept of each day, from the earliest; a row that does not open is left out.
    public func places() throws(LedgerError) -> [(day: UTCDay, places: PlaceDay)] {
        let ids = try database.rows("SELECT id FROM book WHERE id >= ? ORDER BY id", [.int64(Book.firstDay)]) {
            $0.integer(0)
        }
        var days: [(day: UTCDay, places: PlaceDay)] = []
        for id in ids {
            guard let day = Book.day(ofID: id),
                let places = try readable({ () throws(LedgerError) in try self.places(of: day) })
            else { continue }
            days.append((day, places))
        }
        return days
    }

    private func places(of day: UTCDay) throws(LedgerError) -> PlaceDay {
        try book(Book.id(of: day), "the places of \(day)")
    }

    /// Part of the caller's transaction. Notes of a domain that was not on then, or without the scope that they need, are dropped.
    func keep(_ notes: [PlaceNote], asOf revision: ConsentEntry.ID, _ consent: ConsentSnapshot) throws(LedgerError) {
        guard let entry = consent.entry(of: .location, asOf: revision) else { return }
        for note in notes {
            let day = UTCDay(containing: note.at)
            if case .visit(let visit) = note { try move(visit, to: day, entry) }
            var places = try readable { () throws(LedgerError) in try self.places(of: day) } ?? PlaceDay()
            let before = places
            places.add(note)
            if !consent.permitsCoordinates { places.forgetCoordinates() }
            if places != before { try write(Book.id(of: day), places.bytes, entry) }
        }
    }

    /// Takes the visit out of the day beside this one where a corrected clock moved its arrival over midnight.
    private func move(_ visit: Visit, to day: UTCDay, _ entry: ConsentEntry.ID) throws(LedgerError) {
        let moves = [Interval.zero - PlaceDay.arrivalVaries, PlaceDay.arrivalVaries]
        for other in moves.map({ UTCDay(containing: visit.arrived + $0) }) where other != day {
            guard var places = try readable({ () throws(LedgerError) in try self.places(of: other) }) else { continue }
            let before = places
            places.remove(visit)
            if places != before { try write(Book.id(of: other), places.bytes, entry) }
        }
    }

    /// Deletes the coordinates, and the days that do not open: the wearer agrees to them no longer. Part of the caller's transaction.
    func forgetCoordinates() throws(LedgerError) {
        try deleteUnopened(from: .book, where: "id >= ?", [.int64(Book.firstDay)])
        for (day, places) in try places() {
            var narrowed = places
            narrowed.forgetCoordinates()
            guard narrowed != places else { continue }
            if narrowed.isEmpty {
                try database.run("DELETE FROM book WHERE id = ?", [.int64(Book.id(of: day))])
            } else {
                try write(Book.id(of: day), narrowed.bytes, try consent().lastOn(.location) ?? 0)
            }
        }
    }

    /// Deletes the places of days before this one: history is kept no longer. Part of the caller's transaction.
    func dropPlaces(before day: UTCDay) throws(LedgerError) {
        try delete(from: .book, where: "id >= ? AND id < ?", [.int64(Book.firstDay), .int64(Book.id(of: day))])
    }

    /// Part of the caller's transaction. Returns how many there were.
    func forgetPlaces() throws(LedgerError) -> (visits: Int, coordinates: Int) {
        let days = try countable { () throws(LedgerError) in try places() } ?? []
        let count = days.reduce((visits: 0, coordinates: 0)) {
            ($0.visits + $1.places.visits.count, $0.coordinates + $1.places.passed.count)
        }
        try delete(from: .book, where: "id >= ?", [.int64(Book.firstDay)])
        return count
    }
}

extension ConsentSnapshot {
    /// Whether the wearer agreed that coordinates are stored.
    var permitsCoordinates: Bool {
        guard case .agreed(let scope, _) = state.answer(to: Domain.location.permission) else { return false }
        return scope.contains(.coordinates)
    }
}
