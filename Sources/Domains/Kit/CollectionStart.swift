import Core

/// The time of the wearer's agreement, for a domain whose reports are about earlier times: what lies before does not count.
///
/// It has a date once the clock of its boot is trusted.
struct CollectionStart: Equatable, Sendable {
    private enum Time: Equatable, Sendable {
        /// In this boot, at a time without a date so far.
        case undated(BootTime)
        case dated(WallTime)
    }

    /// Nil before collection began.
    private var time: Time?

    /// Collection begins, or goes on.
    mutating func begin(at now: BootTime) { time = time ?? .undated(now) }

    /// The date, fixed by the first call; the present time if collection did not begin.
    mutating func date(by clock: TrustedClock, at now: BootTime) -> WallTime {
        let date =
            switch time {
            case .undated(let time): clock.time(at: time).wall
            case .dated(let time): time
            case nil: clock.time(at: now).wall
            }
        time = .dated(date)
        return date
    }

    func pack(into packer: inout Packer) {
        switch time {
        case nil: packer.put(UInt8(0))
        case .undated(let time):
            packer.put(UInt8(1))
            packer.put(time)
        case .dated(let time):
            packer.put(UInt8(2))
            packer.put(time.nanoseconds)
        }
    }

    mutating func unpack(from unpacker: inout Unpacker, _ times: RestoredTimes) throws(Unpacker.Malformed) {
        switch try unpacker.take(UInt8.self) {
        case 0: time = nil
        case 1:
            let before = try unpacker.takeTime(times)
            if times.shift == .zero && !times.isBroken {
                time = .undated(before)
            } else {
                // By the clock of the earlier boot. Without a date, it may be longer ago than it seems, but not less.
                time = times.wall(at: before).map(Time.dated) ?? .undated(times.now)
            }
        case 2: time = .dated(try unpacker.takeWallTime())
        default: throw Unpacker.Malformed()
        }
    }
}
