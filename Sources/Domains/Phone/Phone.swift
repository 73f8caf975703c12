/// Day totals, reported by the paired phone (SPEC §8).
extension Domain {
    public static let phone = Domain(
        id: 10, name: "phone", permission: .phone, scopes: [ScopePart(.phone, "day totals of the phone")],
        least: .phone,
        hardware: .companionInbox, figures: [.mindfulMinutes, .dietaryEnergy, .phoneSitting],
        collector: PhoneCollector.self,
        words: DomainWords(
            purpose: "your sitting, mindfulness and food, as your phone knows them",
            collected:
                "for a day, the minutes of sitting and of mindfulness and the energy of your food, as your paired "
                + "phone reports them; never what you ate or which apps tell it. Minutes of sitting count only for time "
                + "that this device did not observe while motion was on",
            whenOn:
                "is heard, mindfulMinutes and dietaryEnergyKcal join the daily record, and sitting that this device "
                + "did not observe joins sedentaryMinutes",
            whenOff: "day totals are not taken any more, and those not yet sent will not be sent",
            policy: "Whether day totals may be taken from the phone.", isOfHealth: true))
}

extension Permission {
    public static let phone = Permission(id: 7, order: 15, name: "phone", title: "Phone")
}

extension Scope {
    public static let phone = Scope(id: 10)
}

extension Figure {
    /// Minutes of mindfulness, 0 to 1440.
    public static let mindfulMinutes = Figure(
        id: 25, name: "mindfulMinutes", meaning: "minutes of mindfulness", unit: .minutes,
        fold: .latest(most: DayTotal.Kind.mindful.most), source: .companion, needsWear: false)
    /// Kilocalories of food, 0 to 20,000.
    public static let dietaryEnergy = Figure(
        id: 26, name: "dietaryEnergyKcal", meaning: "the energy of your food", unit: .count("kcal"),
        fold: .latest(most: DayTotal.Kind.nutrition.most), source: .companion, needsWear: false)
    /// Minutes of sitting, 0 to 1440: in a quarter of an hour the reported ones, of a day those that fill
    /// `sedentaryMinutes`.
    public static let phoneSitting = Figure(
        id: 27, name: "phoneSitting", meaning: "minutes of sitting that your phone reports", unit: .minutes,
        fold: .latest(most: DayTotal.Kind.sitting.most), source: .companion, isSent: false, needsWear: false,
        fills: sedentaryMinutes)
}
