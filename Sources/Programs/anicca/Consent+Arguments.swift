import ArgumentParser
import Domains

extension Domain: ExpressibleByArgument {
    public init?(argument: String) { self.init(argument) }

    public static var allValueStrings: [String] { all.map(\.description) }
}

extension Permission: ExpressibleByArgument {
    public init?(argument: String) { self.init(argument) }

    public static var allValueStrings: [String] { all.map(\.description) }
}
