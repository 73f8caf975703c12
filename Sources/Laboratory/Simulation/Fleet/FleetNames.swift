import Core
import SimulatedBus

/// The identities of the devices of a fleet, from which each derives its delay (`UploadRun.deviceHash`).
public enum FleetNames: String, CaseIterable, Sendable {
    /// Random, as made by each installation (machine-id(5)).
    case machineIDs = "machine-ids"
    /// Names that differ only in a number at the end, such as `raspberrypi-00001`: the worst case for a hash.
    case hosts
    /// One identity for all, as after copying cards that were already started.
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

/// The time at which systemd starts a device's uploader at night (systemd/agent/anicca-upload.timer), as far as
/// relevant to a server.
struct FleetTimer {
    /// `OnCalendar=`, after midnight.
    static let calls: [Interval] = [.hours(3), .hours(3) + .minutes(30)]
    /// `RandomizedDelaySec=`, specific to the device and the same every night (`FixedRandomDelay=`).
    static let randomizedDelay = Interval.minutes(30)
    /// The default of `AccuracySec=`: all timers of a machine are delayed to the same second of the minute, specific to
    /// the machine.
    static let accuracy = Interval.minutes(1)

    let starts: [Interval]
    /// The first start without systemd's own delay (`RandomizedDelaySec=0`).
    let undelayedStart: Interval

    /// systemd hashes the machine's identity with SipHash under the name of the unit; another good hash of the identity
    /// has the same distribution.
    init(of name: [UInt8]) {
        var own = SeededGenerator(seed: DeliverySchedule.hash(Array("anicca-upload.timer".utf8) + name))
        let delay = Interval(nanoseconds: Int64(own.next() % UInt64(FleetTimer.randomizedDelay.nanoseconds)))
        let second = Int64(own.next() % UInt64(FleetTimer.accuracy.nanoseconds))
        starts = FleetTimer.calls.map { FleetTimer.next(second, after: $0 + delay) }
        undelayedStart = FleetTimer.next(second, after: FleetTimer.calls[0])
    }

    /// The next time with this offset within a minute.
    private static func next(_ place: Int64, after wanted: Interval) -> Interval {
        let minute = accuracy.nanoseconds
        return wanted + Interval(nanoseconds: (place - wanted.nanoseconds % minute + minute) % minute)
    }
}
