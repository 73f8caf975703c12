import Domains
import Core

/// The displayed state of a quarter of an hour: the predominant activity, or the reason why it is unknown.
enum QuarterState: String, CaseIterable {
    case asleep
    case stationary
    case walking
    case running
    case automotive
    case unknown
    case notWorn = "not worn"
    /// Motion was off, so there is no data.
    case off
    /// No data, although motion may have been on.
    case noData = "no data"

    /// The letter in the terminal's overview, and an explanation for people.
    private var shown: (letter: Character, meaning: String) {
        switch self {
        case .asleep: ("z", rawValue)
        case .stationary: ("-", rawValue)
        case .walking: ("w", rawValue)
        case .running: ("r", rawValue)
        case .automotive: ("v", "in a vehicle")
        case .unknown: ("?", "worn, activity unknown")
        case .notWorn: (".", rawValue)
        case .off: ("x", "motion was off")
        case .noData: (" ", "nothing stored")
        }
    }
    var letter: Character { shown.letter }
    var meaning: String { shown.meaning }

    /// The measured states; the order decides ties.
    static let activities: [(state: QuarterState, figure: Figure)] = [
        (.asleep, .asleepMinutes), (.stationary, .sedentaryMinutes), (.walking, .walkingMinutes),
        (.running, .runningMinutes), (.automotive, .automotiveMinutes),
    ]
}

/// The amounts of one quarter of an hour, possibly from several rows of the store.
struct QuarterAmounts {
    private(set) var steps: Int64 = 0
    /// In the order of `QuarterState.activities`.
    private var spent = [Int64](repeating: 0, count: QuarterState.activities.count)
    /// Nil if no row has the wear time.
    private var worn: Int64?
    private var length: Int64 = 0
    /// A limit on amounts, so that no sum of corrupt values overflows.
    private static let most: Int64 = 1 << 48

    /// The place in `spent` of each figure, by its number: a report reads thousands of quarters.
    private static let places = Dictionary(
        uniqueKeysWithValues: QuarterState.activities.enumerated().map { ($1.figure.id, $0) })
    private static let asleep = QuarterState.activities.firstIndex { $0.state == .asleep } ?? 0

    mutating func add(_ quarter: Quarter) {
        var hasWearTime = false
        for amount in quarter.amounts {
            let value = min(max(amount.value, 0), Self.most)
            if let place = Self.places[amount.figure] {
                spent[place] += value
            } else if amount.figure == Figure.steps.id {
                steps += value
            } else if amount.figure == Figure.wornMinutes.id {
                worn = (worn ?? 0) + value
                hasWearTime = true
            }
        }
        if hasWearTime { length += quarter.length.nanoseconds }
    }

    /// Whether the wearer slept for most of it.
    var isAsleep: Bool { spent[Self.asleep] * 2 >= QuarterHour.length.nanoseconds }

    /// Nil without data.
    var state: QuarterState? {
        guard let worn else { return isAsleep ? .asleep : nil }
        guard worn > 0, worn >= length / 2 else { return .notWorn }
        var state = QuarterState.unknown
        let known = spent.reduce(0, +)
        var most = max(worn - known, 0)
        for (activity, time) in zip(QuarterState.activities, spent) where time >= max(most, 1) {
            guard state == .unknown || time > most else { continue }
            state = activity.state
            most = time
        }
        return state
    }
}

/// The times when motion was on, by the consent trail.
struct MotionTimes {
    private let turns: [(at: WallTime, isOn: Bool)]
    /// Whether an entry does not open, so that motion may have been on at any time.
    private let isUncertain: Bool

    /// - Parameter turns: in the order of the trail.
    init(_ turns: [(at: WallTime, isOn: Bool)], isUncertain: Bool) {
        self.turns = turns
        self.isUncertain = isUncertain
    }

    func isOff(at time: WallTime) -> Bool {
        guard !isUncertain else { return false }
        return !(turns.last { $0.at <= time }?.isOn ?? false)
    }
}

/// A run of equal values.
struct Run<Value: Equatable>: Equatable {
    let value: Value
    let start: Int
    var count: Int
}

extension Array where Element: Equatable {
    /// Joins equal neighbours.
    var runs: [Run<Element>] {
        var runs: [Run<Element>] = []
        for (index, value) in enumerated() {
            if runs.last?.value == value {
                runs[runs.count - 1].count += 1
            } else {
                runs.append(Run(value: value, start: index, count: 1))
            }
        }
        return runs
    }
}
