import Quantities

/// Amounts that belong to UTC days, for the one or two days that are open at a time.
///
/// An amount for a third day is added to the latest: it cannot occur while days are closed as they end.
public struct DayTally: Equatable, Sendable {
    private var first: Entry?
    private var second: Entry?

    private struct Entry: Equatable, Sendable {
        let day: UTCDay
        var amount: Int64
    }

    public init() {}

    public init(_ amount: Int64, on day: UTCDay) { add(amount, on: day) }

    public var isEmpty: Bool { first == nil }
    public var total: Int64 { (first?.amount ?? 0) + (second?.amount ?? 0) }
    public var earliestDay: UTCDay? { first?.day }
    /// In order.
    public var days: [UTCDay] { [first, second].compactMap { $0?.day } }

    public func contains(_ day: UTCDay) -> Bool { first?.day == day || second?.day == day }

    public func amount(on day: UTCDay) -> Int64 {
        if let first, first.day == day { return first.amount }
        if let second, second.day == day { return second.amount }
        return 0
    }

    /// Adds `amount` to `day`. Days are expected in order.
    public mutating func add(_ amount: Int64, on day: UTCDay) {
        guard let earliest = first else {
            first = Entry(day: day, amount: amount)
            return
        }
        if day <= earliest.day {
            first?.amount += amount
        } else if second != nil {
            second?.amount += amount
        } else {
            second = Entry(day: day, amount: amount)
        }
    }

    /// Adds the nanoseconds between two times, each to the day in which it lies.
    public mutating func add(from start: WallTime, to end: WallTime) {
        var start = start
        while start < end {
            let day = UTCDay(containing: start)
            let stop = min(end, day.end)
            add((stop - start).nanoseconds, on: day)
            start = stop
        }
    }

    public mutating func add(_ other: DayTally) {
        if let entry = other.first { add(entry.amount, on: entry.day) }
        if let entry = other.second { add(entry.amount, on: entry.day) }
    }

    /// Moves amounts of days after tomorrow to `today`: they were collected while the clock was wrong.
    public mutating func redate(to today: UTCDay) {
        for entry in [first, second] {
            guard let day = entry?.day, day > today.next else { continue }
            add(take(day), on: today)
        }
    }

    /// Removes and returns the amount of `day`.
    public mutating func take(_ day: UTCDay) -> Int64 {
        let amount = amount(on: day)
        if first?.day == day {
            first = second
            second = nil
        } else if second?.day == day {
            second = nil
        }
        return amount
    }
}

extension DayTally {
    public func pack(into packer: inout Packer) {
        let entries = [first, second].compactMap { $0 }
        packer.put(UInt8(entries.count))
        for entry in entries {
            packer.put(entry.day.daysSinceEpoch)
            packer.put(entry.amount)
        }
    }

    public mutating func unpack(from unpacker: inout Unpacker) throws(Unpacker.Malformed) {
        self = DayTally()
        let count = try unpacker.take(UInt8.self)
        guard count <= 2 else { throw Unpacker.Malformed() }
        for _ in 0..<count {
            let day = try unpacker.takeDay()
            add(try unpacker.takeAmount(), on: day)
        }
    }
}
