import Domains
import Core
import Testing

@testable import Devices

/// The search for a chip that is no accelerometer, and the registers of its driver.
@Suite struct GaugeSearchTests {
    /// Sixteen levels of light; a reading of 0xFF is not ready.
    private final class Made: RegisterAccess, Gauge {
        enum Register: UInt8, RegisterName {
            case control = 0x10
            case level = 0x11

            var name: String { "\(self)" }
        }

        let facts = GaugeSearchTests.made
        let bus: any I2CBus
        let address: I2CAddress
        private(set) var isKnown = false

        init(_ bus: any I2CBus, _ address: I2CAddress) { (self.bus, self.address) = (bus, address) }

        func loseTrack() { isKnown = false }

        func initialise() throws(SensorError) {
            try checkIdentity()
            try apply([(.control, 0)])
            isKnown = true
        }

        func measure() throws(SensorError) { try write(1, to: .control) }

        func read() throws(SensorError) -> GaugeReading? {
            let level: UInt8 = try read(.level)
            return level == 0xFF ? nil : GaugeReading(Float(level))
        }

        func sleep() throws(SensorError) { try write(0, to: .control) }
    }

    private static let made = GaugeChip(
        id: "made", name: "Made", addresses: [0x68, 0x69], identityRegister: (0x0F, "ID"), identities: [0x21, 0x22],
        stranger: { _ in "another chip" }, make: { Made($0, $1) })
    private static let kind = GaugeKind(id: GaugeID(rawValue: 9), name: "light meter", chips: [made])

    @Test func itIsFoundByItsIdentityAndRead() throws {
        for identity in [UInt8(0x21), 0x22] {
            let bus = ScriptedI2CBus(chip: 0x69)
            bus.registers[0x0F] = identity
            let place = try Self.kind.search.find(on: bus)
            #expect(place.address == I2CAddress(0x69) && place.chip == Self.made)
            #expect(bus.takeTrace() == [.read(1, from: 0x0F), .read(1, from: 0x0F)], "nothing is written")
            let gauge = try Self.kind.driver(on: bus)
            try gauge.initialise()
            try gauge.measure()
            bus.registers[0x11] = 0xFF
            #expect(try gauge.read() == nil)
            bus.registers[0x11] = 7
            #expect(try gauge.read() == GaugeReading(7))
        }
    }

    @Test func theMessagesNameTheKindAndTheChip() {
        let search = Self.kind.search
        #expect(throws: search.unreachable(.noAcknowledge)) { try search.find(on: ScriptedI2CBus(chip: 0x50)) }
        #expect(
            search.unreachable(.denied).description
                == "no light meter could be reached (tried Made at 0x68 or 0x69): the kernel refuses the bus; put the "
                + "agent's user into the group i2c")
    }

    /// Its advice names accelerometers to fit.
    @Test func aChipThatIsRefusedAsAnAccelerometerIsAnUnknownChip() throws {
        let bus = ScriptedI2CBus()
        bus.registers = [0x00: 0x24, 0x0F: 0x6C]
        #expect(throws: try #require(Self.made.complaint(about: 0x6C))) { try Self.kind.search.find(on: bus) }
        #expect(bus.takeTrace() == [.read(1, from: 0x0F), .read(1, from: 0x0F)])
    }

    @Test func aFaultOfTheBusNamesTheRegisterAndLosesTheState() throws {
        let bus = ScriptedI2CBus()
        bus.registers[0x0F] = 0x21
        let gauge = Made(bus, try #require(I2CAddress(0x68)))
        try gauge.initialise()
        #expect(gauge.isKnown)
        bus.failsAfter = 0
        #expect(throws: SensorError.bus(.noAcknowledge, at: ChipRegister(chip: "Made", "control", 0x10))) {
            try gauge.measure()
        }
        #expect(!gauge.isKnown)
    }

    @Test func aKindThatThisVersionHasNotIsNotFound() {
        let kind = GaugeKind.of(GaugeID(rawValue: 255))
        #expect(kind.chips.isEmpty)
        #expect(throws: SensorError.self) { try kind.driver(on: ScriptedI2CBus()) }
    }

    @Test func everyKindHasAnIDAndChipsOfItsOwn() {
        #expect(Set(GaugeKind.all.map(\.id)).count == GaugeKind.all.count)
        for kind in GaugeKind.all {
            #expect(!kind.chips.isEmpty && kind.chips.allSatisfy { !$0.addresses.isEmpty && !$0.identities.isEmpty })
        }
    }
}
