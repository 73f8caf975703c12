import ArgumentParser
import Core

/// The requested UTC days, both ends included.
struct DayRange: Equatable {
    /// Nil for an open end.
    let first, last: UTCDay?

    /// Whether no day was named, so that the latest days are meant.
    var isOpen: Bool { first == nil && last == nil }

    /// Throws if one is not a date, or if they are in the wrong order.
    init(from first: String?, to last: String?) throws(ValidationError) {
        self.first = try Self.day(first, "--from")
        self.last = try Self.day(last, "--to")
        if let first = self.first, let last = self.last, last < first {
            throw ValidationError(
                "--from \(first) is after --to \(last): the earlier day comes first, --from \(last) --to \(first)")
        }
    }

    func contains(_ day: UTCDay) -> Bool { first.map { $0 <= day } ?? true && last.map { day <= $0 } ?? true }

    private static func day(_ text: String?, _ option: String) throws(ValidationError) -> UTCDay? {
        guard let text else { return nil }
        return try UTCDay(argument: text, of: option)
    }
}

extension UTCDay {
    /// - Parameter name: the name of the argument, for the error.
    init(argument text: String, of name: String) throws(ValidationError) {
        guard let day = UTCDay(text) else {
            throw ValidationError(
                "\(name) \(text) is not a date: give it as YYYY-MM-DD, such as 2026-01-31")
        }
        self = day
    }
}
