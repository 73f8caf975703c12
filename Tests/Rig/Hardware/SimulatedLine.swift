import Glibc

/// The outside of a line of gpio-sim, as its `pull` attribute sets it (kernel
/// Documentation/admin-guide/gpio/gpio-sim.rst).
struct SimulatedLine {
    private let pull: Descriptor

    /// - Parameter path: The path of the attribute.
    init(pull path: String) throws(HardwareError) {
        pull = try Descriptor(opening: path, O_WRONLY)
    }

    func set(high: Bool) throws(HardwareError) {
        let state = high ? "pull-up" : "pull-down"
        let bytes = Array(state.utf8)
        guard pwrite(pull.number, bytes, bytes.count, 0) == bytes.count else {
            throw HardwareError(systemCall: "the line cannot be set to \(state)")
        }
    }
}
