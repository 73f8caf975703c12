import Testing

@testable import Devices

@Suite struct SensorErrorTextTests {
    @Test(arguments: [
        (SensorError.bus(.noAcknowledge, register: 0x74), ["FIFO_R_W (0x74)", "no device acknowledged", "AD0"]),
        (.bus(.failed(errno: 121), register: 0x6B), ["PWR_MGMT_1 (0x6B)", "errno 121"]),
        (.bus(.denied, register: 0x75), ["WHO_AM_I (0x75)", "group i2c"]),
        (.stranger(0x70), ["WHO_AM_I (0x75)", "0x70", "0x68", "MPU-6500"]),
        (.stranger(0x98), ["sensor = mpu6500"]),
        (.stranger(0x00), ["0x00", "reads low"]),
        (.stranger(0xFF), ["0xFF", "reads high"]),
        (.stranger(0x05), ["0x05", "DS3231", "0x69"]),
        (
            .configurationRefused(register: 0x1C, wrote: 0x10, read: 0),
            ["ACCEL_CONFIG (0x1C)", "0x00 after 0x10", "supply"]
        ),
        (.wrongScale(chip: "MPU-6050", gravity: 1.84, lookalike: nil), ["reads 1.84 g", "offsets", "supply"]),
        (.overrun, ["FIFO_COUNTH (0x72)", "overflowed"]),
        (.noWindow, ["start one"]),
    ])
    func everyErrorSaysWhatWhereAndWhatToDo(error: SensorError, parts: [String]) {
        let text = error.description
        for part in parts { #expect(text.contains(part)) }
        #expect(text.hasPrefix("MPU-6050: ") && !text.contains("\n"))
    }

    @Test func aSearchInVainNamesWhatWasTried() {
        let text = ChipSearch<Chip>(for: [.mpu6050]).unreachable(.noAcknowledge).description
        #expect(text.contains("MPU-6050 at 0x68 or 0x69") && text.contains("no device acknowledged"))
    }

    @Test func theChipsOwnIdentityIsNoComplaint() {
        for chip in Chip.all { #expect(chip.identities.allSatisfy { chip.complaint(about: $0) == nil }) }
    }
}
