extension Domain {
    /// Every domain, in the order in which people are shown them. A new one is a folder beside this file, and one line here.
    public static let all: [Domain] = [
        .motion,
        .steps,
        .sleep,
        .walks,
        .floors,
        .heart,
        .screenTime,
        .phone,
        .location,
        .alarm,
    ]
}
