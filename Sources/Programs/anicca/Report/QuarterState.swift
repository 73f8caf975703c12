import Domains
import Core

/// A quarter of an hour as it is shown: by what the wearer did for the most part, or why that is not known.
enum QuarterState: String, CaseIterable {
    case asleep
    case stationary
    case walking
    case running
    case automotive
    case unknown
    case notWorn = "not worn"
    /// Motion was off: nothing may be there.
    case off
    /// Nothing is stored, and it is not known that motion was off.
    case noData = "no data"

    /// In the overview on a terminal; and for people, with what the word alone does not tell.
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

    /// Those that are measured, in the order in which a tie is decided.
    static let activities: [(state: QuarterState, figure: Figure)] = [
        (.asleep, .asleepMinutes), (.stationary, .sedentaryMinutes), (.walking, .walkingMinutes),
        (.running, .runningMinutes), (.automotive, .automotiveMinutes),
    ]
}

/// The amounts of one quarter of an hour, of which the store may have several rows.
struct QuarterAmounts {
    private(set) var steps: Int64 = 0
    private var spent: [QuarterState: Int64] = [:]
    /// Nil where no row tells whether the device was worn.
    private var worn: Int64?
    private var length: Int64 = 0
    /// No amount is more, in whatever way it came into the store, and no sum of them overflows.
    private static let most: Int64 = 1 << 48

    mutating func add(_ quarter: Quarter) {
        func amount(of figure: Figure) -> Int64? { quarter.amount(of: figure).map { min(max($0, 0), Self.most) } }
        steps += amount(of: .steps) ?? 0
        if let part = amount(of: .wornMinutes) {
            worn = (worn ?? 0) + part
            length += quarter.length.nanoseconds
        }
        for (state, figure) in QuarterState.activities { spent[state, default: 0] += amount(of: figure) ?? 0 }
    }

    /// Whether the wearer slept for most of it.
    var isAsleep: Bool { spent[.asleep, default: 0] * 2 >= QuarterHour.length.nanoseconds }

    /// Nil where nothing tells.
    var state: QuarterState? {
        guard let worn else { return isAsleep ? .asleep : nil }
        guard worn > 0, worn >= length / 2 else { return .notWorn }
        var state = QuarterState.unknown
        let known = spent.values.reduce(0, +)
        var most = max(worn - known, 0)
        for activity in QuarterState.activities where spent[activity.state, default: 0] >= max(most, 1) {
            guard state == .unknown || spent[activity.state, default: 0] > most else { continue }
            state = activity.state
            most = spent[activity.state, default: 0]
        }
        return state
    }
}

/// When motion was on, by the consent trail.
struct MotionTimes {
    private let turns: [(at: WallTime, isOn: Bool)]
    /// An entry does not open, so it may have been on at any time.
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

/// A stretch of equal values.
struct Run<Value: Equatable>: Equatable {
    let value: Value
    let start: Int
    var count: Int
}

extension Array where Element: Equatable {
    /// Equal neighbours as one.
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
