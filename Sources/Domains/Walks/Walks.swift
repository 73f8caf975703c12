/// Walks: cadence, distance, workouts and energy, from the windows and the steps of motion and steps (SPEC §13).
extension Domain {
    public static let walks = Domain(
        id: 7, name: "walks", permission: .health, scopes: [ScopePart(.walks, "walks")], least: .walks,
        hardware: .accelerometer, needs: [.motion, .steps],
        figures: [.distance, .walkingCadence, .activeEnergy, .workouts], reach: Workout.longest,
        books: [.wearerProfile],
        settings: WalksSettings.self, collector: WalksCollector.self,
        words: DomainWords(
            purpose: "your walks and runs",
            collected:
                "cadence, distance, walks and runs of some length, and the energy for them, from what motion and "
                + "steps sense; your height, weight, year of birth and sex only if you give them, and they are never sent",
            whenOn:
                "is read no more than before, and walkingCadence and workouts join the daily record, with your height "
                + "distanceM and with your weight activeEnergyKcal",
            whenOff: "walks are not measured any more, and figures of walks not yet sent will not be sent",
            policy: "Whether walks and runs may be measured."))
}

extension Scope {
    public static let walks = Scope(id: 7)
}

extension Figure {
    /// Metres walked and run. Not collected without the wearer's height.
    public static let distance = Figure(
        id: 12, name: "distanceM", meaning: "the distance that you walk and run", unit: .count("m"),
        fold: .sum(most: 200_000), source: .session)
    /// The median of the steps per minute, over minutes of walking.
    public static let walkingCadence = Figure(
        id: 13, name: "walkingCadence", meaning: "how many steps a minute you make while you walk",
        unit: .count("steps/min"), fold: .median(most: 300), source: .imu)
    /// Kilocalories of walking and running, beyond those at rest. Not collected without the wearer's weight.
    public static let activeEnergy = Figure(
        id: 14, name: "activeEnergyKcal", meaning: "the energy for it", unit: .count("kcal"), fold: .sum(most: 20_000),
        source: .session)
    /// Walks and runs of some length. They belong to the day on which they end.
    public static let workouts = Figure(
        id: 15, name: "workouts", meaning: "each longer walk and run: when it began, its minutes, steps and distance",
        fold: .table(Workout.table), source: .session)
}
