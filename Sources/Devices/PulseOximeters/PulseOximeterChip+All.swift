extension PulseOximeterChip {
    /// Every pulse oximeter that the agent supports, in the order of the search. A new one is a folder beside this
    /// file, and one line here.
    public static let all: [PulseOximeterChip] = [.max30102]
}
