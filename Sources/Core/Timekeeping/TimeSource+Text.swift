extension TimeSource: CustomStringConvertible {
    private var words: (name: String, description: String) {
        switch self {
        case .kernel: ("kernel", "the network")
        case .hardwareClock: ("hardware-clock", "the hardware clock")
        case .wearer: ("wearer", "you")
        case .receiver: ("receiver", "the satellites")
        default: ("source \(rawValue)", "another version")
        }
    }

    /// For programs.
    public var name: String { words.name }

    /// For people.
    public var description: String { words.description }
}
