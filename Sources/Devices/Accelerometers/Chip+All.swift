extension Chip {
    /// Every chip that the agent supports, in the order of the search. The configuration, the search on the bus and the
    /// programs' messages follow from this list.
    public static let all: [Chip] = [
        .mpu6050,
        .mpu6500,
        .lis3dh,
        .adxl345,
        .lsm6dso,
        .lsm6ds3trc,
        .bma400,
    ]
}
