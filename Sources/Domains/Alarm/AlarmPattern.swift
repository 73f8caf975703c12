import Core

/// A pattern for the output line: alternating times on and off, beginning with on. It ends off.
public struct AlarmPattern: Equatable, Sendable {
    /// In milliseconds; the last is an on time.
    public let milliseconds: [Int64]

    /// The longest pattern, so that a motor is never left running.
    public static let longest = Interval.seconds(60)

    /// Cut off at `longest`.
    public init(_ milliseconds: [Int64]) {
        var rest = Self.longest.inMilliseconds
        self.milliseconds = milliseconds.map { time in
            defer { rest -= min(max(time, 0), rest) }
            return min(max(time, 0), rest)
        }
    }

    /// Repeats an on time and an off time.
    private init(_ cycle: [Int64], times: Int) {
        self.init(Array(repeatElement(cycle, count: times).joined().dropLast()))
    }

    public static let light = AlarmPattern([200])
    public static let strong = AlarmPattern([400, 200, 400, 200, 800])
    static let wake = AlarmPattern([600, 400], times: 30)
    static let training = AlarmPattern([200, 100, 200, 700], times: 8)
    static let bedtime = AlarmPattern([800, 1200], times: 4)
    static let custom = AlarmPattern([300, 300], times: 10)

    public var length: Interval { .milliseconds(milliseconds.reduce(0, +)) }

    /// The level of the line at a time after the beginning, and the time of the next change; nil once the pattern is
    /// over.
    public func state(after elapsed: Interval) -> (isOn: Bool, until: Interval?) {
        var end = Interval.zero
        for (index, time) in milliseconds.enumerated() {
            end += .milliseconds(time)
            if elapsed < end { return (index.isMultiple(of: 2), end) }
        }
        return (false, nil)
    }
}
