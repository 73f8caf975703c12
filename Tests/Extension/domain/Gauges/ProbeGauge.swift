import Domains
import Core

/// A made-up thermometer. It shows that a gauge is this folder and one line in `GaugeKind.all`.
///
/// Registers: 0x00 identity 0x5C; 0x01 control (1 starts a measurement of 40 ms, and goes back to 0 by itself); 0x02 the
/// number of samples that are averaged; 0x03 the temperature in 1/16 °C, high byte first.
final class ProbeGauge: RegisterAccess, Gauge {
    enum Register: UInt8, RegisterName {
        case identity, control, samples, temperature

        var name: String { "\(self)" }
    }

    private static let samples: UInt8 = 8

    let facts = GaugeChip.probe
    let bus: any I2CBus
    let address: I2CAddress
    private var isSetUp = false

    init(bus: any I2CBus, address: I2CAddress) {
        self.bus = bus
        self.address = address
    }

    func loseTrack() { isSetUp = false }

    func initialise() throws(SensorError) {
        isSetUp = false
        try checkIdentity()
        try apply([(.control, 0), (.samples, Self.samples)])
        isSetUp = true
    }

    func measure() throws(SensorError) {
        if !isSetUp { try initialise() }
        try write(1, to: .control)
    }

    func read() throws(SensorError) -> GaugeReading? {
        guard try read(.control) == 0 else { return nil }
        // A chip that was replaced, or lost its settings, has measured something else.
        try verify(.samples, is: Self.samples)
        let bytes = try read(2, from: .temperature)
        return GaugeReading(Float(Int16(bitPattern: UInt16(bytes[0]) << 8 | UInt16(bytes[1]))) / 16)
    }

    func sleep() throws(SensorError) {
        if !isSetUp { try checkIdentity() }
        try write(0, to: .control)
    }
}

extension GaugeChip {
    static let probe = GaugeChip(
        id: "probe", name: "Probe thermometer", addresses: [0x48, 0x49],
        identityRegister: (ProbeGauge.Register.identity.rawValue, ProbeGauge.Register.identity.name),
        identities: [0x5C], stranger: { _ in "another chip" }, make: { ProbeGauge(bus: $0, address: $1) })
}

extension GaugeKind {
    /// The line for `GaugeKind.all` is `.probe,`.
    public static let probe = GaugeKind(id: .probe, name: "thermometer", chips: [.probe])
}
