import Ports

extension Chip {
    /// Every chip that the agent knows, in the order in which it looks for them. The configuration, the search on the bus
    /// and what the programs say follow from this list.
    public static let all: [Chip] = [
        .mpu6050
    ]
}
