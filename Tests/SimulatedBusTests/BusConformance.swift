import Ports
import Testing

/// The requirements on every implementation of `I2CBus`, tested with an MPU-6050, simulated or real.
///
/// The checks use the chip's settings, which keep written values, and its FIFO, into which bytes can be written as well
/// as read (RM-MPU-6000A-00 rev 4.2, "FIFO Read Write"). They leave the chip reset and asleep.
struct BusConformance {
    /// Opens the bus afresh.
    let open: () throws -> any I2CBus
    let chip: I2CAddress
    /// An address at which no chip answers.
    let vacant: I2CAddress

    private let sampleRateDivider: UInt8 = 0x19
    private let motionThreshold: UInt8 = 0x1F
    /// From the first self-test register to INT_PIN_CFG: more than one SMBus block, and nothing moves by itself.
    private let settings: ClosedRange<UInt8> = 0x0D...0x37
    private let userControl: UInt8 = 0x6A
    private let powerManagement: UInt8 = 0x6B
    private let fifoCount: UInt8 = 0x72
    private let fifoPort: UInt8 = 0x74

    func runAll() throws {
        try aRegisterKeepsWhatIsWritten()
        try aReadGoesOnToTheNextRegister()
        try aLongReadIsTheSameAsSingleReads()
        for count in [1, 2, 6, 31, 32, 33, 63, 64, 65, 96, 255, 256, 257, 768, 1023, 1024] {
            try aDrainKeepsOrderAndCount(count)
        }
        try aPartialDrainLeavesTheRest()
        try nobodyAtAnAddressIsReportedAndHarmsNoOneElse()
        try recoveringAHealthyBusChangesNothing()
    }

    func aRegisterKeepsWhatIsWritten() throws {
        let bus = try open()
        for value in [UInt8(0x00), 0x5A, 0xA5, 0xFF] {
            try bus.write(value, to: sampleRateDivider, of: chip)
            #expect(try bus.read(1, from: sampleRateDivider, of: chip) == [value])
        }
        try reset(bus)
    }

    func aReadGoesOnToTheNextRegister() throws {
        let bus = try open()
        try bus.write(0x11, to: motionThreshold, of: chip)
        try bus.write(0x22, to: motionThreshold + 1, of: chip)
        #expect(try bus.read(2, from: motionThreshold, of: chip) == [0x11, 0x22])
        try reset(bus)
    }

    func aLongReadIsTheSameAsSingleReads() throws {
        let bus = try open()
        for (value, register) in zip(UInt8(1)..., motionThreshold...0x26) {
            try bus.write(value, to: register, of: chip)
        }
        let single = try settings.map { try bus.read(1, from: $0, of: chip)[0] }
        #expect(try bus.read(settings.count, from: settings.lowerBound, of: chip) == single)
        try reset(bus)
    }

    func aDrainKeepsOrderAndCount(_ count: Int) throws {
        let bus = try open()
        let bytes = try fillFIFO(of: bus, count)
        #expect(try waiting(in: bus) == count)
        #expect(try bus.drain(count, from: fifoPort, of: chip) == bytes, "\(count) bytes")
        #expect(try waiting(in: bus) == 0)
        try reset(bus)
    }

    func aPartialDrainLeavesTheRest() throws {
        let bus = try open()
        let bytes = try fillFIFO(of: bus, 100)
        #expect(try bus.drain(40, from: fifoPort, of: chip) == Array(bytes[..<40]))
        #expect(try waiting(in: bus) == 60)
        #expect(try bus.drain(60, from: fifoPort, of: chip) == Array(bytes[40...]))
        try reset(bus)
    }

    func nobodyAtAnAddressIsReportedAndHarmsNoOneElse() throws {
        let bus = try open()
        try bus.write(0x5A, to: sampleRateDivider, of: chip)
        #expect(throws: BusError.noAcknowledge) { try bus.read(1, from: sampleRateDivider, of: vacant) }
        #expect(throws: BusError.noAcknowledge) { try bus.write(0, to: sampleRateDivider, of: vacant) }
        #expect(throws: BusError.noAcknowledge) { try bus.drain(64, from: fifoPort, of: vacant) }
        #expect(try bus.read(1, from: sampleRateDivider, of: chip) == [0x5A])
        try reset(bus)
    }

    func recoveringAHealthyBusChangesNothing() throws {
        let bus = try open()
        try bus.write(0x5A, to: sampleRateDivider, of: chip)
        try bus.recover()
        #expect(try bus.read(1, from: sampleRateDivider, of: chip) == [0x5A])
        try reset(bus)
    }

    // MARK: With a fault, where one can be brought about

    /// `inject` makes the next transfer go unacknowledged.
    func aTransferThatIsNotAcknowledgedIsReportedAndTheNextWorks(_ inject: (any I2CBus) -> Void) throws {
        let bus = try open()
        try bus.write(0x5A, to: sampleRateDivider, of: chip)
        inject(bus)
        #expect(throws: BusError.noAcknowledge) { try bus.write(0xFF, to: sampleRateDivider, of: chip) }
        #expect(try bus.read(1, from: sampleRateDivider, of: chip) == [0x5A])
        try reset(bus)
    }

    /// `inject` holds the bus low until it is recovered.
    func aStuckBusIsReportedUntilItIsRecovered(_ inject: (any I2CBus) -> Void) throws {
        let bus = try open()
        try bus.write(0x5A, to: sampleRateDivider, of: chip)
        inject(bus)
        for _ in 0..<3 {
            #expect(throws: BusError.stuck) { try bus.read(1, from: sampleRateDivider, of: chip) }
        }
        try bus.recover()
        #expect(try bus.read(1, from: sampleRateDivider, of: chip) == [0x5A])
        try reset(bus)
    }

    // MARK: Helpers

    /// Puts so many bytes, no two neighbours equal, into the chip's FIFO, which is emptied first.
    private func fillFIFO(of bus: any I2CBus, _ count: Int) throws -> [UInt8] {
        try bus.write(0x04, to: userControl, of: chip)
        try bus.write(0x40, to: userControl, of: chip)
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ $0 >> 8) }
        for byte in bytes { try bus.write(byte, to: fifoPort, of: chip) }
        return bytes
    }

    private func waiting(in bus: any I2CBus) throws -> Int {
        let count = try bus.read(2, from: fifoCount, of: chip)
        return Int(count[0]) << 8 | Int(count[1])
    }

    /// Settings as after power-up, as far as the checks changed them.
    private func reset(_ bus: any I2CBus) throws {
        try bus.write(0x00, to: userControl, of: chip)
        try bus.write(0x04, to: userControl, of: chip)
        for register in [sampleRateDivider] + Array(motionThreshold...0x26) {
            try bus.write(0x00, to: register, of: chip)
        }
        try bus.write(0x40, to: powerManagement, of: chip)
    }
}
