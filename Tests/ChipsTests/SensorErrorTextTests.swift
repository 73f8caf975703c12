import Ports
import Testing

@testable import Chips

@Suite struct SensorErrorTextTests {
    @Test(arguments: [
        (SensorError.bus(.noAcknowledge, register: 0x74), ["FIFO_R_W (0x74)", "nobody acknowledged", "AD0"]),
        (.bus(.failed(errno: 121), register: 0x6B), ["PWR_MGMT_1 (0x6B)", "errno 121"]),
        (.bus(.denied, register: 0x75), ["WHO_AM_I (0x75)", "group i2c"]),
        (.wrongIdentity(found: 0x70), ["WHO_AM_I (0x75)", "0x70", "0x68", "MPU-6500"]),
        (.wrongIdentity(found: 0x71), ["MPU-9250"]),
        (.wrongIdentity(found: 0x00), ["0x00", "reads low"]),
        (.wrongIdentity(found: 0xFF), ["0xFF", "reads high"]),
        (.wrongIdentity(found: 0x05), ["0x05", "DS3231", "0x69"]),
        (
            .configurationRefused(register: 0x1C, wrote: 0x10, read: 0),
            ["ACCEL_CONFIG (0x1C)", "0x00 after 0x10", "supply"]
        ),
        (.configurationRefused(register: 0x07, wrote: 1, read: 0), ["register 0x07 holds"]),
        (.overrun, ["FIFO_COUNTH (0x72)", "overflowed"]),
        (.notReady(missing: 3), ["3 samples", "120 ms"]),
        (.noWindow, ["start one"]),
    ])
    func everyErrorSaysWhatWhereAndWhatToDo(error: SensorError, parts: [String]) {
        let text = error.description
        for part in parts { #expect(text.contains(part)) }
        #expect(text.hasPrefix("MPU-6050: ") && !text.contains("\n"))
    }
}
