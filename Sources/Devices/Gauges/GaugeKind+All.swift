extension GaugeKind {
    /// Every kind of gauge that the agent supports. A new one is a folder beside this file, and one line here.
    public static let all: [GaugeKind] = [
        .barometer
    ]
}
