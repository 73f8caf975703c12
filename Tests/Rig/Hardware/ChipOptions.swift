import ArgumentParser

/// The options that both ways to serve the chip have in common.
struct ChipOptions: ParsableArguments {
    @Option(help: "What the chip feels: \(SimulatedMotion.Kind.names).")
    var motion = SimulatedMotion.Kind.still

    @Option(help: "Take commands at this socket (see rig-hardware control).")
    var control: String?

    func services(with adapter: SimulatedAdapter) throws(HardwareError) -> [any Service] {
        let standardInput = StandardInput()
        guard let control else { return [standardInput] }
        return [try ControlDesk(path: control, obey: adapter.obey), standardInput]
    }
}

extension SimulatedMotion.Kind: ExpressibleByArgument {}
