import ArgumentParser
import Core

/// A length of time on the command line.
struct IntervalArgument: ExpressibleByArgument {
    let length: Interval

    init(length: Interval) { self.length = length }

    /// A whole number with its unit; nil for anything else.
    init?(argument: String) {
        let digits = argument.prefix { $0.isNumber }
        let units = ["us": 1000, "ms": 1_000_000, "s": 1_000_000_000, "min": 60_000_000_000] as [String: Int64]
        // A year is longer than any test.
        guard let count = Int64(digits), let unit = units[String(argument.dropFirst(digits.count))],
            case let (nanoseconds, overflows) = count.multipliedReportingOverflow(by: unit), !overflows,
            nanoseconds < Interval.days(365).nanoseconds
        else { return nil }
        length = Interval(nanoseconds: nanoseconds)
    }

    var defaultValueDescription: String { "\(length.nanoseconds / 1000)us" }
}
