import Domains

extension Page {
    static let floors = Page(
        domain: .floors, words: [.flightsClimbed: ("floors", "flights climbed")], bars: [.flightsClimbed])
}
