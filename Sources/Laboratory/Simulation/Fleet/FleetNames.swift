import Core
import SimulatedBus

/// The identities of the devices of a fleet, from which each has its delay (`UploadRun.deviceHash`).
public enum FleetNames: String, CaseIterable, Sendable {
    /// Random, as an installation of its own makes it (machine-id(5)).
    case machineIDs = "machine-ids"
    /// Names that differ in a number at their end, as `raspberrypi-00001`: the worst that a fleet would give a hash.
    case hosts
    /// One identity for all, as of cards that were copied after the first start.
    case copies

    /// The identity of a device, as bytes of the file.
    func name(of number: Int, seed: UInt64) -> [UInt8] {
        switch self {
        case .machineIDs: return FleetNames.machineID(SplitGenerator(seed: seed, stream: UInt64(number)))
        case .hosts:
            let digits = String(number)
            return Array(("raspberrypi-" + String(repeating: "0", count: max(0, 5 - digits.count)) + digits).utf8)
        case .copies: return FleetNames.machineID(SplitGenerator(seed: seed, stream: 0))
        }
    }

    private static func machineID(_ generator: SplitGenerator) -> [UInt8] {
        var generator = generator
        let digits = Array("0123456789abcdef".utf8)
        var name: [UInt8] = []
        for _ in 0..<2 {
            var bits = generator.next()
            for _ in 0..<16 {
                name.append(digits[Int(bits & 15)])
                bits >>= 4
            }
        }
        return name + [UInt8(ascii: "\n")]
    }
}

/// When systemd starts the uploader of a device at night (systemd/agent/anicca-upload.timer), as far as it matters to a server.
struct FleetTimer {
    /// `OnCalendar=`, after midnight.
    static let calls: [Interval] = [.hours(3), .hours(3) + .minutes(30)]
    /// `RandomizedDelaySec=`, of the device's own and the same every night (`FixedRandomDelay=`).
    static let randomizedDelay = Interval.minutes(30)
    /// `AccuracySec=` by default: all timers of a machine are put off to one second of the minute, of the machine's own.
    static let accuracy = Interval.minutes(1)

    let starts: [Interval]
    /// The first start if systemd had no delay of its own (`RandomizedDelaySec=0`).
    let undelayedStart: Interval

    /// systemd hashes the machine's identity with SipHash under the name of the unit; any other good hash of the identity spreads alike.
    init(of name: [UInt8]) {
        var own = SeededGenerator(seed: DeliverySchedule.hash(Array("anicca-upload.timer".utf8) + name))
        let delay = Interval(nanoseconds: Int64(own.next() % UInt64(FleetTimer.randomizedDelay.nanoseconds)))
        let second = Int64(own.next() % UInt64(FleetTimer.accuracy.nanoseconds))
        starts = FleetTimer.calls.map { FleetTimer.next(second, after: $0 + delay) }
        undelayedStart = FleetTimer.next(second, after: FleetTimer.calls[0])
    }

    /// The next time at this place of a minute.
    private static func next(_ place: Int64, after wanted: Interval) -> Interval {
        let minute = accuracy.nanoseconds
        return wanted + Interval(nanoseconds: (place - wanted.nanoseconds % minute + minute) % minute)
    }
}
