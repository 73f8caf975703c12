import Domains

extension Page {
    static let screenTime = Page(
        domain: .screenTime, words: [.socialMinutes: ("social", "social apps")], bars: [.socialMinutes])
}
