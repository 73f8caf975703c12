extension SinkKind {
    /// Every sink. A new one is a folder beside this file, and one line here.
    public static let all: [SinkKind] = [
        .https,
        .mqtt,
    ]
}
