import Core
import Domains
import Store
import System

/// What a day consists of, by quarter of an hour, for a server to which several devices of the wearer send (SPEC §16): it
/// takes each quarter from the device that observed more of it.
public struct DayQuarters: Equatable, Sendable {
    /// The quarters of a UTC day.
    static let count = 96

    /// This device, as `DeviceName` derives it.
    let device: String
    /// The domains with their figures, each with a number for each quarter; nil where nothing was collected. The first figure
    /// of a domain is its observed time.
    let domains: [(domain: Domain, figures: [(figure: Figure, numbers: [Int64?])])]

    /// - Parameter values: the figures of the record whose quarters consent allows. Those have quarters that are sums of a
    ///   sensor, and of which every amount has its time: a sum of less than the day would be taken for the day's.
    init(of explanation: DayExplanation, _ values: [Figure: FigureValue], device: String) {
        self.device = device
        domains = Domain.all.compactMap { domain in
            let parts = explanation.parts.filter { $0.domain == domain && $0.standing == .counted }
            let sums = domain.figures.filter(\.hasQuarters).sorted { $0.id < $1.id }.compactMap {
                figure -> (Figure, [Int64?])? in
                guard let value = values[figure]?.number else { return nil }
                let numbers = parts.numbers(of: figure, on: explanation.day)
                // What fills a figure has no time.
                let filled = values.reduce(0) { $1.key.filled == figure ? $0 &+ $1.value.number : $0 }
                return numbers.reduce(filled) { $0 &+ ($1 ?? 0) } == value ? (figure, numbers) : nil
            }
            guard !sums.isEmpty else { return nil }
            let observed = parts.numbers(of: domain.observed, on: explanation.day)
            // Of a clock that was set back, a quarter may have more.
            let most = QuarterHour.length.inMinutes
            return (domain, [(domain.observed, observed.map { $0.map { min($0, most) } })] + sums)
        }
    }

    public static func == (one: DayQuarters, other: DayQuarters) -> Bool { one.json == other.json }

    /// An object for each domain, with a list for each figure; the observed time is named `observed`.
    var json: JSONObject {
        var object = JSONObject()
        for (domain, figures) in domains {
            var lists = JSONObject()
            for (figure, numbers) in figures {
                let list = numbers.map { $0.map(String.init) ?? "null" }.joined(separator: ",")
                lists.put(figure.tellsObserved ? "observed" : "\(figure)", json: "[\(list)]")
            }
            object.put("\(domain)", lists)
        }
        return object
    }
}

extension [DayExplanation.Part] {
    /// The amount of each quarter of the day, in minutes for a time. Minutes are rounded so that their sum is that of the day.
    fileprivate func numbers(of figure: Figure, on day: UTCDay) -> [Int64?] {
        var amounts = [Int64?](repeating: nil, count: DayQuarters.count)
        for part in self {
            guard let began = part.began, let amount = part.quarter.amount(of: figure) else { continue }
            let place = (began + part.quarter.length / 2 - day.start).nanoseconds / QuarterHour.length.nanoseconds
            let index = Int(Swift.min(Swift.max(place, 0), Int64(DayQuarters.count - 1)))
            amounts[index] = (amounts[index] ?? 0) &+ amount
        }
        guard figure.unit == .minutes else { return amounts }
        var (sum, told) = (Int64(0), Int64(0))
        return amounts.map { amount in
            guard let amount else { return nil }
            sum &+= amount
            let minutes = (Interval(nanoseconds: sum) + .seconds(30)).inMinutes
            defer { told = minutes }
            return minutes - told
        }
    }
}
