extension Parts: Equatable {
    public static func == (left: Parts, right: Parts) -> Bool { left.bytes == right.bytes }
}
