import Domains

extension Page {
    static let phone = Page(
        domain: .phone,
        words: [
            .mindfulMinutes: ("mind", "mindfulness"), .dietaryEnergy: ("food", "energy of food in kcal"),
            .phoneSitting: ("filled", "sitting filled in by the phone"),
        ], bars: [.mindfulMinutes, .dietaryEnergy])
}
