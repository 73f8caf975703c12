import Commands
import Config
import Domains
import System
import Store
import Core

/// The stored visits with the names of the wearer's places, without coordinates.
struct VisitReport {
    private let days: [UTCDay: [Visit]]
    private let fences: [Fence]
    /// The current visit, if known.
    private let present: Visit?

    init(_ ledger: Ledger, _ settings: LocationSettings) throws(LedgerError) {
        let days = try ledger.bookDays(PlaceDay.self).filter { !$0.row.visits.isEmpty }
        self.days = Dictionary(uniqueKeysWithValues: days.map { ($0.day, $0.row.visits) })
        fences = settings.fences
        let consent = try ledger.consent().state
        // If the wearer is no longer followed, a visit without an end is over.
        let isFollowed =
            consent.toggles.allows(.location) && consent.status(of: .location).allowsCollection
            && settings.mode != .geofence
        present = isFollowed ? days.last?.row.visits.last.flatMap { $0.left == nil ? $0 : nil } : nil
    }

    /// The days on which a visit began, newest first.
    var latestDays: [UTCDay] { days.keys.sorted(by: >) }

    /// A visit, for people.
    struct Row: Equatable {
        /// Such as `08:12–10:40`; a time of another day has its date.
        let times: String
        /// The name of the fence, without control characters, or `a place`.
        let place: String
    }

    /// The visits that began on the day.
    func rows(of day: UTCDay) -> [Row] { visits(of: day).map { row($0, on: day) } }

    /// The visits that began on the day.
    func lines(of day: UTCDay) -> [String] { visits(of: day).map { line($0, on: day) } }

    /// The visits that began on the day.
    func json(of day: UTCDay) -> [JSONObject] { visits(of: day).map(json) }

    private func visits(of day: UTCDay) -> [Visit] { days[day] ?? [] }

    private func name(_ visit: Visit) -> String? { fences.name(ofNumber: visit.place) }

    private func text(_ visit: Visit) -> String { name(visit).map(escapingControls) ?? "a place" }

    private func row(_ visit: Visit, on day: UTCDay) -> Row {
        let end = visit.left.map { clock($0, on: day) } ?? (visit == present ? "now" : "?")
        return Row(times: "\(clock(visit.arrived, on: day))–\(end)", place: text(visit))
    }

    /// Such as `08:12–10:40  home`.
    private func line(_ visit: Visit, on day: UTCDay) -> String {
        let row = row(visit, on: day)
        return "\(row.times)  \(row.place)"
    }

    private func clock(_ time: WallTime, on day: UTCDay) -> String {
        let date = UTCDay(containing: time)
        return (date == day ? "" : "\(date) ") + anicca.clock(time)
    }

    private func json(_ visit: Visit) -> JSONObject {
        JSONObject(
            ("arrived", visit.arrived), ("left", visit.left), ("present", visit == present ? true : nil),
            ("place", name(visit)))
    }
}

// MARK: - Today

extension VisitReport {
    /// The visits that overlap the day, including the current one.
    private func visits(reaching day: UTCDay?) -> [Visit] {
        let recent = latestDays.reversed().flatMap(visits(of:))
        return recent.filter { visit in
            guard let day else { return visit == present }
            let began = UTCDay(containing: visit.arrived)
            return visit == present || began == day || began < day && visit.left.map { $0 > day.start } ?? false
        }
    }

    /// For `anicca status`; nil without visits.
    ///
    /// - Parameter day: today; nil while the date is unknown.
    func section(on day: UTCDay?) -> Section? {
        let visits = visits(reaching: day)
        guard !visits.isEmpty else { return nil }
        let now = present.map { "\(text($0)), since \($0.arrived)" }
        let rows = visits.enumerated().map { index, visit in
            Field(label: index == 0 ? "today" : "", day.map { line(visit, on: $0) })
        }
        return Section("location", "Visits", [Field("visits", visits.map(json), "now", now)] + rows)
    }
}
