/// The days as ribbons: 96 quarters of an hour, coloured by activity.
struct DayRibbon {
    private let report: Report

    init(_ report: Report) { self.report = report }

    var section: HTML {
        .section(
            "activity", "Activity",
            [
                HTML.element("p", "For each quarter of an hour, the main activity by the accelerometer."),
                legend,
                HTML.element(
                    "ol", ["class": "rows"],
                    [.axis(["00", "06", "12", "18", "24"])] + report.days.enumerated().map(row)),
                .details("Activity as a table", table),
            ])
    }

    private var legend: HTML {
        HTML.element(
            "ul", ["class": "legend"],
            QuarterState.allCases.map { state in
                HTML.element("li", [HTML.element("span", ["class": "key \(state.style)"]), HTML(state.meaning)])
            })
    }

    private func row(_ index: Int, _ day: ReportDay) -> HTML {
        HTML.element(
            "li",
            [
                .date(day),
                .day("ribbon", index, title: "Activity on \(day.day)", description: summary(of: day), shapes(of: day)),
            ])
    }

    /// A line across the ribbon for each state. The hatched background shows times not worn.
    private func shapes(of day: ReportDay) -> [HTML] {
        let runs = day.states.runs
        return QuarterState.allCases.filter { $0 != .notWorn }.flatMap { state in
            HTML.line(state.style, runs.filter { $0.value == state })
        }
    }

    /// The hours of each state, longest first.
    private func summary(of day: ReportDay) -> String {
        let parts = QuarterState.allCases.map { (state: $0, quarters: day.quarters($0)) }.filter { $0.quarters > 0 }
        return parts.sorted { $0.quarters > $1.quarters }
            .map { "\($0.state.rawValue) \(duration(Int64($0.quarters) * 15))" }.joined(separator: ", ")
    }

    private var table: HTML {
        .table(
            "States and their beginnings (UTC)", ["day", "in all", "course"],
            report.days.map { day in
                let course = day.states.runs.map { "\(clock(ofQuarter: $0.start)) \($0.value.rawValue)" }
                return [HTML("\(day.day)"), HTML(summary(of: day)), HTML(course.joined(separator: ", "))]
            })
    }
}

extension QuarterState {
    /// The name of its class in the style sheet.
    var style: String {
        switch self {
        case .notWorn: "unworn"
        case .noData: "none"
        default: rawValue
        }
    }
}

extension HTML {
    /// The day in the margin of its row.
    static func date(_ day: ReportDay) -> HTML { HTML.element("time", ["datetime": "\(day.day)"], HTML(day.name)) }

    /// The hours above the rows; the text of each picture contains them too.
    static func axis(_ hours: [String]) -> HTML {
        HTML.element(
            "li", ["class": "axis", "aria-hidden": "true"],
            [
                HTML.element("span"),
                HTML.element("span", ["class": "hours"], hours.map { HTML.element("span", HTML($0)) }),
            ])
    }

    /// The 96 quarters of an hour of a day.
    static func day(
        _ style: String, _ number: Int, title: String, description: String, _ shapes: [HTML]
    ) -> HTML {
        .picture(
            style, number, (96, 10), title: title, description: description,
            shapes + [.gridLines([24, 48, 72], height: 10)])
    }

    /// A line through these quarters of it; empty without any.
    static func line<Value>(_ style: String, _ runs: [Run<Value>]) -> [HTML] {
        let path = runs.map { "M\($0.start) 5h\($0.count)" }.joined()
        return path.isEmpty ? [] : [.element("path", ["class": style, "d": path])]
    }

    /// A bar for each value above zero, ten units wide and at most 100 high; the greatest value has all of the height. Empty without
    /// any.
    static func bars(_ style: String, _ values: [Int64]) -> [HTML] {
        guard let most = values.max(), most > 0 else { return [] }
        let path = values.enumerated().filter { $0.element > 0 }.map { index, value in
            let height = max(1, Int(Double(value) / Double(most) * 100))
            return "M\(index * 10 + 1) 100v-\(height)h8v\(height)z"
        }.joined()
        return [.element("path", ["class": style, "d": path])]
    }

    /// Lines from the top to the bottom of a picture.
    static func gridLines(_ places: [Int], height: Int) -> HTML {
        HTML.element("path", ["class": "grid", "d": places.map { "M\($0) 0v\(height)" }.joined()])
    }
}
