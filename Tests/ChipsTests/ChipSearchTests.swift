import Core
import Testing

@testable import Devices

/// The search for a chip on a bus, and the message when there is none.
@Suite struct ChipSearchTests {
    let search = ChipSearch<Chip>(for: [.mpu6050])

    @Test func silenceAndOtherChipsLeadToTheNextAddress() throws {
        #expect(try search.find(on: ScriptedI2CBus()).address == I2CAddress(0x68))
        #expect(try search.find(on: ScriptedI2CBus(chip: 0x69)).address == I2CAddress(0x69))

        let empty = ScriptedI2CBus(chip: 0x50)
        #expect(throws: search.unreachable(.noAcknowledge)) { try search.find(on: empty) }
        #expect(empty.takeTrace() == [.read(1, from: 0x75), .read(1, from: 0x75)])

        let bus = ScriptedI2CBus()
        bus.registers[0x75] = 0x70
        #expect(throws: SensorError.stranger(0x70)) { try search.find(on: bus) }
        let reads: [ScriptedI2CBus.Transfer] = [.read(1, from: 0x75), .read(1, from: 0x75), .read(7, from: 0x00)]
        #expect(bus.takeTrace() == reads, "nothing is written")
    }

    @Test func onlyTheGivenAddressIsTried() {
        let bus = ScriptedI2CBus(chip: 0x68)
        let search = ChipSearch<Chip>(for: [.mpu6050], at: I2CAddress(0x69))
        #expect(throws: search.unreachable(.noAcknowledge)) { try search.find(on: bus) }
        #expect(bus.takeTrace().count == 1)
        #expect(search.tried == "MPU-6050 at 0x69")
    }

    @Test(arguments: [BusError.stuck, .absent, .denied, .unsupported])
    func aBusThatFailsAsAWholeEndsTheSearch(error: BusError) {
        let bus = ScriptedI2CBus()
        (bus.failsAfter, bus.error) = (0, error)
        #expect(throws: search.unreachable(error)) { try search.find(on: bus) }
        #expect(bus.takeTrace().count == 1)
    }

    @Test(arguments: [BusError.busy, .failed(errno: 5)])
    func anAddressThatCannotBeUsedIsPassedAndIsTheReasonWhereNothingIsFound(error: BusError) throws {
        let taken = ScriptedI2CBus()
        (taken.failsAfter, taken.error) = (0, error)
        #expect(throws: search.unreachable(error)) { try search.find(on: taken) }
        let beside = ScriptedI2CBus(chip: 0x69)
        (beside.answersElsewhere, beside.error) = (error, error)
        #expect(try search.find(on: beside).address == I2CAddress(0x69))
    }

    @Test func everyChipHasANameAnAddressAndAnIdentityOfItsOwn() {
        let names = Chip.all.flatMap { [$0.id] + $0.aliases }
        #expect(Set(names).count == names.count)
        for chip in Chip.all {
            #expect(!chip.addresses.isEmpty && !chip.ranges.isEmpty, "\(chip.id)")
            #expect(chip.ranges == chip.ranges.sorted())
            #expect(
                chip.id.allSatisfy { $0.isLetter || $0.isNumber } && chip.id == chip.id.lowercased()
                    && chip.id != "auto")
        }
        for chip in Chip.all {
            for other in Chip.all where other != chip && !Set(chip.addresses).isDisjoint(with: other.addresses) {
                let isToldApart =
                    chip.identityRegister.number != other.identityRegister.number
                    || Set(chip.identities).isDisjoint(with: other.identities)
                #expect(isToldApart, "\(chip.id), \(other.id)")
            }
        }
    }
}
