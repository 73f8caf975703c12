import Core
import Domains

/// A Maxim MAX30102, MAX30101 or MAX30105, used for spot checks with the LEDs off between them.
///
/// Sources are public drivers, not the data sheet. LM: Linux, drivers/iio/health/max30102.c. SF: SparkFun's
/// SparkFun_MAX3010x_Sensor_Library. RF: aromring/MAX30102_by_RF. Two names: two independent sources agree. One name:
/// no other source confirms it. The driver has not been tried on a real chip.
///
/// The FIFO holds 32 samples, 1.28 s at 25 Hz. Equal pointers mean 0 or 32 samples: the flag of a full FIFO
/// distinguishes the two, and the overflow counter shows more. A chip that lost its settings (a supply dip) takes no
/// samples; each drain reads back the settings.
///
/// On some modules the red and the infrared LED are exchanged (reported for RF and SF), so both are lit, and the two
/// channels are equals.
public final class MAX3010x: RegisterAccess, PulseOximeter {
    typealias Register = NamedRegister<MAX3010x>

    /// The progress of a spot check.
    struct Progress: Equatable {
        /// Samples that the next drains drop.
        var unsettled: Int
        var light = PulseDrain.Light.searching
        /// Whether samples were delivered since the last gap.
        var continues = false
    }

    enum State: Equatable {
        /// Not set up yet, or an access failed half-way.
        case unknown
        /// Set up and shut down.
        case off
        case measuring(Progress)
    }

    public let chip = PulseOximeterChip.max30102
    var facts: PulseOximeterChip { chip }
    let bus: any I2CBus
    let address: I2CAddress
    var state = State.unknown
    /// Kept from one spot check to the next, which then needs no search.
    var (first, second) = (LED(), LED())

    /// Does not touch the bus.
    public init(bus: any I2CBus, address: I2CAddress) {
        self.bus = bus
        self.address = address
    }

    func loseTrack() { state = .unknown }

    public func initialise() throws(SensorError) {
        state = .unknown
        (first, second) = (LED(), LED())
        try checkIdentity()
        try reset()
        try setUp(Self.settings)
        state = .off
    }

    public func begin() throws(SensorError) {
        if state == .unknown { try initialise() }
        try start()
    }

    public func drain() throws(SensorError) -> PulseDrain {
        guard case .measuring = state else { throw .noWindow(chip: chip.name) }
        guard let held = try samplesHeld() else { throw try startOver() }
        let bytes = held > 0 ? try drain(held * FIFO.sampleSize, from: .data, unit: FIFO.sampleSize) : []
        if held > 0 {
            // If a delay let the FIFO run full before the read, taken and left samples add up to its depth.
            guard let left = try samplesHeld(), held == FIFO.depth || held + left < FIFO.depth else {
                throw try startOver()
            }
        }
        try verifySettings()
        return try adjust(to: Self.samples(in: bytes))
    }

    public func shutDown() throws(SensorError) {
        if state == .unknown { try checkIdentity() }
        try write([(.mode, Mode.off)], thenVerify: .mode, is: Mode.off)
        if state != .unknown { state = .off }
    }
}

extension MAX3010x {
    private func reset() throws(SensorError) {
        try write(Mode.reset, to: .mode)
        var found = Mode.reset
        for _ in 0..<Mode.longestReset.polls where found & Mode.reset != 0 {
            bus.pause(for: Mode.longestReset.each)
            found = try read(.mode)
        }
        guard found & Mode.reset == 0 else { throw .configurationRefused(place(of: .mode), wrote: 0, read: found) }
    }

    /// Shuts the chip down, empties the FIFO, and lets it fill. A sample that was being taken may still come: the
    /// second attempt removes it. Flags of the time before are cleared by reading them.
    private func start() throws(SensorError) {
        let empty: RegisterValues<Register> = [
            (.mode, Mode.off), (.writePointer, 0), (.overflow, 0), (.readPointer, 0),
        ]
        var held: Int?
        for _ in 0..<2 where held != 0 {
            held = samplesHeld(in: try write(empty, thenRead: .status, Self.flagsAndPointers))
        }
        guard held == 0 else {
            loseTrack()
            throw .configurationRefused(place(of: .readPointer), wrote: 0, read: UInt8(held ?? FIFO.depth))
        }
        let lit: RegisterValues<Register> = [
            (.firstLED, first.current), (.secondLED, second.current), (.mode, Mode.sampling),
        ]
        try checkSettings(try write(lit, thenRead: .fifoConfiguration, Self.settingsLength))
        state = .measuring(Progress(unsettled: Self.unsettled))
    }

    /// A chip that lost its settings samples at a higher rate, which the FIFO does not hold.
    private func startOver() throws(SensorError) -> SensorError {
        try verifySettings()
        try start()
        return .overrun(place(of: .overflow))
    }

    /// Bytes from the flags to the last pointer. One burst reads the flags first, so that a FIFO that fills meanwhile
    /// keeps its flag for the next one.
    private static let flagsAndPointers = Int(Register.readPointer.rawValue) + 1

    private func samplesHeld() throws(SensorError) -> Int? {
        samplesHeld(in: try read(Self.flagsAndPointers, from: .status))
    }

    /// Samples in the FIFO; nil if it has lost some.
    private func samplesHeld(in values: [UInt8]) -> Int? {
        guard value(.overflow, in: values) & FIFO.mask == 0 else { return nil }
        let held = Int((value(.writePointer, in: values) &- value(.readPointer, in: values)) & FIFO.mask)
        return held == 0 && values[0] & FIFO.isFull != 0 ? FIFO.depth : held
    }

    private func value(_ register: Register, in values: [UInt8]) -> UInt8 { values[Int(register.rawValue)] }

    /// Bytes from the configuration of the FIFO to the current of the second LED.
    private static let settingsLength = Int(Register.secondLED.rawValue - Register.fifoConfiguration.rawValue) + 1

    private func verifySettings() throws(SensorError) {
        try checkSettings(try read(Self.settingsLength, from: .fifoConfiguration))
    }

    private func checkSettings(_ values: [UInt8]) throws(SensorError) {
        let begin = Register.fifoConfiguration
        var expected = Self.settings.filter { $0.register.rawValue >= begin.rawValue }
        expected = expected.map { register, value in
            switch register.rawValue {
            case Register.mode.rawValue: (register, Mode.sampling)
            case Register.firstLED.rawValue: (register, first.current)
            case Register.secondLED.rawValue: (register, second.current)
            default: (register, value)
            }
        }
        for (register, value) in expected {
            try check(register, holds: value, found: values[Int(register.rawValue - begin.rawValue)])
        }
    }
}
