import ArgumentParser

/// Without a guest: the adapter at a socket, for a program under `Tests/Bench/busshim.c`.
struct ServeBus: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bus",
        abstract: "Serve a bus with an accelerometer to a program under busshim, in that program's time.")

    @Argument(help: "The socket that the shim connects to; an old one is replaced.")
    var socket: String

    @OptionGroup var chip: ChipOptions

    func run() throws {
        let server = try BusServer(path: socket, moving: chip.motion)
        let services = try chip.services(with: server.adapter)
        say("ready \(socket)")
        try serve([server] + services)
    }
}
