import ArgumentParser

/// In a guest: the adapter as a node of its own.
struct ServeNode: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cuse",
        abstract: "In a guest, as root: serve /dev/i2c-N with an accelerometer (CUSE).")

    @Option(help: "The N of /dev/i2c-N.")
    var bus: UInt

    @Flag(help: "Offer SMBus transfers only, of 32 bytes at most.")
    var smbusOnly = false

    @Option(help: "Wire the chip's INT pin to a line of gpio-sim, by its pull attribute.")
    var interrupt: String?

    @OptionGroup var chip: ChipOptions

    func run() throws {
        let adapter = SimulatedAdapter(moving: chip.motion, timeout: .seconds(1))
        let node = I2CNode(adapter: adapter, isSMBusOnly: smbusOnly)
        let server = try CUSEServer(name: "i2c-\(bus)", node: node) { say("ready /dev/i2c-\(bus)") }
        let pin = try interrupt.map { (pull) throws(HardwareError) in try InterruptPin(pull: pull, adapter: adapter) }
        try serve([server] + [pin].compactMap { $0 } + chip.services(with: adapter))
    }
}
