import Testing

@testable import Devices

/// Chips that are recognised and cannot be used.
@Suite struct RefusedChipTests {
    let search = ChipSearch<Chip>()

    /// A chip whose registers from 0x00 on hold these, and which is no MPU-6050.
    private func bus(_ registers: [UInt8], at address: UInt8 = 0x68) -> ScriptedI2CBus {
        let bus = ScriptedI2CBus(chip: address)
        bus.registers = [0x75: 0x00]
        for (register, value) in zip(UInt8(0)..., registers) { bus.registers[register] = value }
        return bus
    }

    private func complaint(about bus: ScriptedI2CBus) -> String {
        do throws(SensorError) {
            _ = try search.find(on: bus)
            return "found"
        } catch {
            return error.description
        }
    }

    @Test(arguments: [UInt8(0x68), 0x69]) func aBMI270IsNamedWithItsReasonAndARemedy(address: UInt8) {
        let bus = bus([0x24, 0x00, 0x00, 0x10], at: address)
        let text = complaint(about: bus)
        let place = address == 0x68 ? "0x68" : "0x69"
        #expect(
            text.hasPrefix("a BMI270 answers at \(place); it needs Bosch's configuration file, which is not included; ")
        )
        let names = Chip.all.map(\.name).joined(separator: ", ")
        #expect(text.hasSuffix("; fit one of: " + names) && !text.contains("\n"))
        for transfer in bus.takeTrace() {
            if case .write = transfer { Issue.record("\(transfer)") }
        }
    }

    /// 24 seconds after a minute: in 24-hour time, before noon and after noon, and in the next century.
    @Test(
        arguments: [
            [0x24, 0x59, 0x23, 0x07, 0x31, 0x12, 0x99], [0x24, 0x00, 0x00, 0x01, 0x01, 0x01, 0x00],
            [0x24, 0x30, 0x49, 0x03, 0x15, 0x06, 0x25], [0x24, 0x30, 0x72, 0x03, 0x15, 0x06, 0x25],
            [0x24, 0x30, 0x09, 0x03, 0x15, 0x86, 0x25],
        ] as [[UInt8]])
    func aClockIsNoBMI270(registers: [UInt8]) {
        let text = complaint(about: bus(registers))
        #expect(!text.contains("BMI270") && text.contains("MPU-6050: register WHO_AM_I (0x75) holds 0x00"))
    }

    /// Each has one register that no clock has.
    @Test(
        arguments: [
            [0x24, 0x60, 0x23, 0x07, 0x31, 0x12, 0x99], [0x24, 0x0A, 0x23, 0x07, 0x31, 0x12, 0x99],
            [0x24, 0x59, 0x24, 0x07, 0x31, 0x12, 0x99], [0x24, 0x59, 0x40, 0x07, 0x31, 0x12, 0x99],
            [0x24, 0x59, 0x53, 0x07, 0x31, 0x12, 0x99], [0x24, 0x59, 0x23, 0x00, 0x31, 0x12, 0x99],
            [0x24, 0x59, 0x23, 0x08, 0x31, 0x12, 0x99], [0x24, 0x59, 0x23, 0x07, 0x00, 0x12, 0x99],
            [0x24, 0x59, 0x23, 0x07, 0x32, 0x12, 0x99], [0x24, 0x59, 0x23, 0x07, 0x31, 0x00, 0x99],
            [0x24, 0x59, 0x23, 0x07, 0x31, 0x13, 0x99], [0x24, 0x59, 0x23, 0x07, 0x31, 0x12, 0xA0],
        ] as [[UInt8]])
    func whatIsNoTimeIsNoClock(registers: [UInt8]) {
        #expect(complaint(about: bus(registers)).contains("BMI270"))
    }

    @Test(arguments: [UInt8(0x00), 0x23, 0x25, 0xFF]) func anotherIdentityIsAnotherChip(identity: UInt8) {
        #expect(!complaint(about: bus([identity, 0xFF])).contains("BMI270"))
    }

    @Test func itIsAskedAboutOnlyWhereAStrangerAnswered() throws {
        let found = ScriptedI2CBus()
        found.registers[0x00] = 0x24
        #expect(try ChipSearch<Chip>(for: [.mpu6050]).find(on: found).chip == .mpu6050)
        #expect(found.takeTrace() == [.read(1, from: 0x75)])

        let elsewhere = bus([0xE0], at: 0x53)
        _ = complaint(about: elsewhere)
        let reads = elsewhere.takeTrace().filter { $0 == .read(7, from: 0x00) }
        #expect(reads.isEmpty, "a BMI270 cannot be there")
    }

    @Test func aLookThatFailsLeavesTheComplaint() {
        let bus = bus([0x24])
        bus.failsAfter = 1
        #expect(throws: SensorError.stranger(0x00)) { try ChipSearch<Chip>(for: [.mpu6050]).find(on: bus) }
    }

    @Test func aRefusedChipIsNoneThatIsSupported() {
        for chip in RefusedChip.all {
            #expect(!chip.addresses.isEmpty && !chip.name.isEmpty && !chip.why.hasSuffix("."))
            for other in Chip.all {
                let isTheSame =
                    other.identityRegister.number == chip.identityRegister && other.identities.contains(chip.identity)
                    && !Set(other.addresses).isDisjoint(with: chip.addresses)
                #expect(!isTheSame && other.name != chip.name, "\(other.id)")
            }
        }
    }
}
