import Core

/// What is played on the output line: times on and off in turn, beginning with on. It ends off.
public struct AlarmPattern: Equatable, Sendable {
    /// In milliseconds; the last is a time on.
    public let milliseconds: [Int64]

    /// No pattern is longer, so that a motor is never left running.
    public static let longest = Interval.seconds(60)

    /// Cut where it would be longer than `longest`.
    public init(_ milliseconds: [Int64]) {
        var rest = Self.longest.inMilliseconds
        self.milliseconds = milliseconds.map { time in
            defer { rest -= min(max(time, 0), rest) }
            return min(max(time, 0), rest)
        }
    }

    /// A time on and a time off, so often.
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

    /// Whether the line is on so long after the beginning, and when after the beginning that changes; nil once it is over.
    public func state(after elapsed: Interval) -> (isOn: Bool, until: Interval?) {
        var end = Interval.zero
        for (index, time) in milliseconds.enumerated() {
            end += .milliseconds(time)
            if elapsed < end { return (index.isMultiple(of: 2), end) }
        }
        return (false, nil)
    }
}
