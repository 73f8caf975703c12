import Core
import SimulatedBus
import Testing

@testable import Devices

/// The made-up chip, at the level of its registers, in virtual time.
final class SimulatedProbe: SimulatedAccelerometer {
    private let clock: () -> BootTime
    private let source: any AccelerationSource
    private let excess: Double
    var identity: UInt8 = 0xA7
    private var control: UInt8 = 0
    private var threshold: UInt8 = 0
    private var start: BootTime
    private var taken: Int64 = 0
    private var held: [[UInt8]] = []
    private var byte = 0
    private var hasLost = false
    private var hasMovedSince = false
    private var reference: Acceleration?
    private var latest = Acceleration.zero
    private var rises: [BootTime] = []
    /// The time at each value of the control register.
    private var times = [Interval](repeating: .zero, count: 4)
    private var time: BootTime

    init(source: any AccelerationSource, clock: @escaping () -> BootTime, oscillatorError: Double) {
        self.source = source
        self.clock = clock
        excess = oscillatorError
        (start, time) = (clock(), clock())
    }

    private var period: Double { (control == 3 ? 1_000_000_000 : 38_461_538) / (1 + excess) }

    func advance(to target: BootTime) {
        guard target > time else { return }
        while control != 0 {
            let due = start + Interval(nanoseconds: Int64(Double(taken + 1) * period))
            guard due <= target else { break }
            taken += 1
            take(source.acceleration(at: due), at: due)
        }
        times[Int(control)] += target - time
        time = target
    }

    private func take(_ felt: Acceleration, at due: BootTime) {
        latest = felt
        if control & 1 != 0 {
            if held.count == 64 {
                held.removeFirst()
                hasLost = true
            }
            held.append(
                [felt.x, felt.y, felt.z].flatMap { axis in
                    let counts = Int16(min(max(axis * 4096, -32768), 32767).rounded())
                    return [UInt8(truncatingIfNeeded: counts >> 8), UInt8(truncatingIfNeeded: counts)]
                })
        } else if let reference, !hasMovedSince {
            let change = felt - reference
            let limit = Float(threshold) * 0.008
            guard max(abs(change.x), abs(change.y), abs(change.z)) > limit else { return }
            hasMovedSince = true
            rises.append(due)
        }
    }

    func write(_ value: UInt8, to register: UInt8) {
        switch register {
        case 1:
            let before = (control, period)
            control = value & 3
            if before.0 == 0 || control == 0 || period != before.1 { (start, taken) = (time, 0) }
            reference = control == 2 ? latest : nil
        case 2: threshold = value
        case 3: (held, hasLost, byte) = ([], false, 0)
        default: break
        }
    }

    func read(from register: UInt8) -> UInt8 {
        switch register {
        case 0: return identity
        case 1: return control
        case 2: return threshold
        case 3: return hasLost ? 0xFF : UInt8(held.count)
        case 4:
            defer { hasMovedSince = false }
            return hasMovedSince ? 1 : 0
        case 5:
            guard let oldest = held.first else { return 0 }
            defer { byte = (byte + 1) % 6 }
            if byte == 5 { held.removeFirst() }
            return oldest[byte]
        default: return 0
        }
    }

    func register(after register: UInt8) -> UInt8 { register == 5 ? register : register &+ 1 }

    private func atPresent<Value>(_ value: () -> Value) -> Value {
        advance(to: clock())
        return value()
    }

    var awakeTime: Interval { atPresent { times[1] } }
    var slowTime: Interval { atPresent { times[3] } }
    var lowPowerTime: Interval { atPresent { times[2] } }
    var rests: Bool { atPresent { control & 1 == 0 } }
    var isOff: Bool { atPresent { control == 0 } }
    var samplesHeld: Int { atPresent { held.count } }
    var interruptTime: BootTime? { atPresent { rises.last } }

    func interrupts(after: BootTime, through: BootTime) -> [BootTime] {
        atPresent { rises.filter { $0 > after && $0 <= through } }
    }

    func nextInterrupt(before limit: BootTime) -> BootTime? { nil }

    func losePower() { (control, threshold, held, hasLost, byte) = (0, 0, [], false, 0) }
}

/// The probe is a chip like the others once it stands in the list.
@Suite struct ProbeChipTests {
    private let kind = ChipConformance(
        chip: .probe,
        simulated: SimulatedIMU(id: "probe", address: 0x2A) { source, clock, _, error, _ in
            SimulatedProbe(source: source, clock: clock, oscillatorError: error)
        })

    @Test func itIsInTheList() { #expect(Chip.all.contains(.probe)) }

    @Test(arguments: ChipDuty.all) func itDoesWhatEveryChipMustDo(duty: ChipDuty) throws { try duty.isDone(by: kind) }

    @Test func theSearchNamesIt() { #expect(ChipSearch<Chip>().tried.contains("Probe at 0x2A")) }
}
