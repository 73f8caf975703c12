import ArgumentParser
import Consent

extension Domain: ExpressibleByArgument {
    public init?(argument: String) { self.init(argument) }

    public static var allValueStrings: [String] { allCases.map(\.description) }
}

extension Permission: ExpressibleByArgument {
    public init?(argument: String) { self.init(argument) }

    public static var allValueStrings: [String] { allCases.map(\.description) }
}
