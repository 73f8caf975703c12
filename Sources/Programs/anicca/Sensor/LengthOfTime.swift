import ArgumentParser
import Core

/// A length of time typed by a person: `90s`, `10m`, `2h`; from a second to a day.
struct LengthOfTime: ExpressibleByArgument, Equatable {
    let interval: Interval

    init?(argument: String) {
        let units: [Character: Interval] = ["s": .seconds(1), "m": .minutes(1), "h": .hours(1)]
        guard let unit = argument.last.flatMap({ units[$0] }), let count = Int64(argument.dropLast()),
            (1...86_400).contains(count), unit * count <= .hours(24)
        else { return nil }
        interval = unit * count
    }
}
