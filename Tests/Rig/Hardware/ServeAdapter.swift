import ArgumentParser

/// On the host: the adapter as a virtio device.
struct ServeAdapter: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "i2c",
        abstract: "On the host: serve an I2C adapter with an accelerometer, to one guest after another (vhost-user).",
        discussion: """
            User-Mode Linux takes the argument virtio_uml.device=SOCKET:34. A transfer that fails looks to the guest \
            as if the chip had not answered, whatever the reason. When this program ends, the guest's adapter is \
            unplugged.
            """)

    @Argument(help: "The socket that guests connect to; an old one is replaced.")
    var socket: String

    @OptionGroup var chip: ChipOptions

    func run() throws {
        // A guest that is interrupted while it waits takes its buffers back (Linux 6.1), so nothing is ever delayed.
        let adapter = SimulatedAdapter(moving: chip.motion, timeout: .zero)
        let server = try VhostUserServer(path: socket, adapter: adapter, report: say)
        let services = try chip.services(with: adapter)
        say("ready \(socket)")
        try serve([server] + services)
    }
}
