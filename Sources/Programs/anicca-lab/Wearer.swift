import ArgumentParser
import Config
import Devices
import Sensing
import System
import Core
import SimulatedBus
import Simulation

/// The wearer of simulated devices.
enum Wearer {
    /// A different life for each seed.
    case seed(UInt64)
    /// The day for which costs are stated.
    case typical
    /// A wearer who does nothing at all. Needs no memory for a life.
    case resting
    /// A walk of three minutes from this time on, then sitting.
    case walking(at: WallTime)
}

extension Wearer: ExpressibleByArgument {
    init?(argument: String) {
        switch argument {
        case "typical": self = .typical
        case "resting": self = .resting
        default:
            guard let seed = UInt64(argument) else { return nil }
            self = .seed(seed)
        }
    }

    var defaultValueDescription: String {
        switch self {
        case .seed(let seed): "\(seed)"
        case .typical: "typical"
        case .resting: "resting"
        case .walking: "a walk, then sitting"
        }
    }
}

extension SimulatedIMU: ExpressibleByArgument {
    public init?(argument: String) { self.init(argument) }

    public var defaultValueDescription: String { id }

    public static var allValueStrings: [String] { all.map(\.id) }
}

extension UTCDay: ExpressibleByArgument {
    public init?(argument: String) { self.init(argument) }

    public var defaultValueDescription: String { description }
}

extension WallTime: ExpressibleByArgument {
    public init?(argument: String) { self.init(argument) }

    public var defaultValueDescription: String { description }
}

extension Wearer {
    /// The life that covers this many days from `firstDay` on; nil for a wearer without one.
    func life(from firstDay: UTCDay, days: Int) -> WearerLife? {
        switch self {
        case .seed(let seed): WearerLife(firstDay: firstDay, days: days, seed: seed)
        case .typical: WearerLife(firstDay: firstDay, plans: Array(repeating: .typical, count: days), seed: 1)
        case .resting: nil
        case .walking(let start): .walk(at: start, for: .minutes(3), days: days)
        }
    }

    /// The devices of a wearer whose life covers the days from `firstDay` on.
    ///
    /// - Parameter booted: see `SimulatedDevices`.
    func devices(
        from firstDay: UTCDay, days: Int, clock: VirtualClock, booted: WallTime? = nil, hasMotionLine: Bool = true,
        hasPulseLine: Bool = true, kernelBuffer: Int = 1024, imu: SimulatedIMU, hasOximeter: Bool = false
    ) -> SimulatedDevices {
        guard let life = life(from: firstDay, days: days) else {
            let stillness = RecordedWearer([], from: clock.now.boot)
            return SimulatedDevices(
                source: stillness, pulses: [], clock: clock, hasMotionLine: hasMotionLine, hasPulseLine: hasPulseLine,
                kernelBuffer: kernelBuffer, imu: imu, seed: 1)
        }
        return SimulatedDevices(
            life: life, clock: clock, booted: booted, hasMotionLine: hasMotionLine, hasPulseLine: hasPulseLine,
            kernelBuffer: kernelBuffer, imu: imu, hasOximeter: hasOximeter)
    }

    /// Devices in real time, from now on. Pulses wake a waiting program; interrupts do not. Domains that are not
    /// simulated use this machine's devices.
    ///
    /// - Parameters:
    ///   - firstDay: The first day of the life; nil for today.
    ///   - booted: see `SimulatedDevices`.
    ///   - hasReceiver: Whether the wearer carries a receiver of positions, behind a `GPSDServer` of the caller.
    func devicesInRealTime(
        from firstDay: UTCDay? = nil, booted: WallTime? = nil, hasPulseLine: Bool, imu: SimulatedIMU,
        surroundings settings: Settings, hasReceiver: Bool = false
    ) -> SimulatedDevices {
        let clock = VirtualClock(following: { .now })
        let firstDay = firstDay ?? UTCDay(containing: clock.now.wall)
        let devices = devices(
            from: firstDay, days: 8, clock: clock, booted: booted,
            hasMotionLine: false, hasPulseLine: hasPulseLine, imu: imu)
        devices.surroundings = linuxHandlers(settings)
        devices.inboxDirectory = settings.companion.inbox
        devices.gpsd = GPSDAddress(settings.location)
        if hasReceiver, let life = life(from: firstDay, days: 8) {
            devices.receiver = LifeReceiver(life, clock: clock, booted: booted)
        }
        return devices
    }
}
