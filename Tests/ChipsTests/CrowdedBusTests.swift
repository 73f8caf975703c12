import Core
import SimulatedBus
import Testing

@testable import Devices

/// Buses with more than one chip: none is written to before it is known.
@Suite struct CrowdedBusTests {
    /// Another kind of device with registers: a clock, a memory.
    final class OtherDevice: SimulatedChip {
        private let registers: [UInt8]
        private(set) var writes = 0

        init(_ registers: [UInt8]) { self.registers = registers }

        func write(_ value: UInt8, to register: UInt8) { writes += 1 }
        func read(from register: UInt8) -> UInt8 { registers[Int(register) % registers.count] }
        func advance(to time: BootTime) {}
        func register(after register: UInt8) -> UInt8 { register &+ 1 }

        /// A DS3231 at 22:41:24, with its 19 registers, which repeat.
        static var clock: OtherDevice {
            OtherDevice([
                0x24, 0x41, 0x22, 0x07, 0x22, 0x11, 0x26, 0, 0, 0, 0, 0, 0, 0, 0x1C, 0x88, 0, 0x19, 0x40,
            ])
        }

        /// An erased EEPROM.
        static var memory: OtherDevice { OtherDevice([0xFF]) }
    }

    static let addresses = Set(Chip.all.flatMap(\.addresses))

    @Test func aChipIsFoundBesideAClockOrAMemoryAtAnyOtherAddress() throws {
        for kind in ChipConformance.all {
            for address in kind.chip.addresses {
                for stranger in Self.addresses where stranger != address {
                    for other in [OtherDevice.clock, .memory] {
                        try expectFound(kind, at: address, beside: other, at: stranger)
                    }
                }
            }
        }
    }

    private func expectFound(
        _ kind: ChipConformance, at address: I2CAddress, beside other: OtherDevice, at stranger: I2CAddress
    ) throws {
        let chip = kind.simulated.chip(feeling: ChipBench.Felt(), clock: { BootTime(nanoseconds: 0) }, seed: 1)
        let bus = SimulatedI2CBus(clock: { BootTime(nanoseconds: 0) }, chips: [(stranger, other), (address, chip)])
        let place = try ChipSearch<Chip>().find(on: bus)
        #expect(place.chip == kind.chip && place.address == address)
        try place.chip.driver(on: bus, at: place.address).initialise()
        #expect(other.writes == 0)
    }

    @Test func ofTwoChipsOneIsFoundAndTheOtherIsLeftAlone() throws {
        for first in ChipConformance.all {
            for second in ChipConformance.all {
                for address in first.chip.addresses {
                    for other in second.chip.addresses where other != address {
                        try expectOne(of: first, at: address, and: second, at: other)
                    }
                }
            }
        }
    }

    private func expectOne(
        of first: ChipConformance, at address: I2CAddress, and second: ChipConformance, at other: I2CAddress
    ) throws {
        let clock = { BootTime(nanoseconds: 0) }
        let chips = [first, second].map { $0.simulated.chip(feeling: ChipBench.Felt(), clock: clock, seed: 1) }
        let bus = SimulatedI2CBus(clock: clock, chips: [(address, chips[0]), (other, chips[1])])
        bus.isTracing = true
        let place = try ChipSearch<Chip>().find(on: bus)
        #expect(place.address == address || place.address == other)
        #expect(place.chip == (place.address == address ? first.chip : second.chip))
        try place.chip.driver(on: bus, at: place.address).initialise()
        for transfer in bus.trace {
            if case .wrote(_, _, let written) = transfer { #expect(written == place.address) }
        }
    }

    @Test func aClockOrAMemoryAloneAtAnyAddressIsRefusedAndNotWrittenTo() {
        for address in Self.addresses {
            for other in [OtherDevice.clock, .memory] {
                let bus = SimulatedI2CBus(clock: { BootTime(nanoseconds: 0) }, chips: [(address, other)])
                #expect(throws: SensorError.self) { try ChipSearch<Chip>().find(on: bus) }
                #expect(other.writes == 0)
            }
        }
    }
}
