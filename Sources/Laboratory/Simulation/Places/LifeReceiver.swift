import Domains
import Devices
import Core

/// The receiver of a simulated life: each drive takes its wearer from home to work, or back.
public final class LifeReceiver {
    /// A border that the wearer crossed.
    public struct Crossing: Equatable, Sendable {
        public let at: WallTime
        /// `home` or `work`.
        public let place: String
        public let isEntered: Bool
    }

    /// The middles of the two places.
    public static let home = SimulatedReceiver.coordinates(TravelPlan.home)
    public static let work = SimulatedReceiver.coordinates(workplace)
    private static let workplace = TravelPlan.Point(east: 3_100, north: 1_700)

    /// In order, at the start or end of the drive.
    public private(set) var crossings: [Crossing] = []
    private var legs: [TravelPlan.Leg] = []
    private let start: WallTime
    private let clock: VirtualClock
    /// The time by which the wearer lives; nil for that of `clock`.
    private let booted: WallTime?
    private var receiver: SimulatedReceiver
    /// The connection in use, and the time at which it was made.
    fileprivate weak var source: LifePositions?
    private var heldSince: BootTime?
    private var heldBefore = Interval.zero

    /// - Parameter booted: see `SimulatedDevices`.
    public init(_ life: WearerLife, clock: VirtualClock, booted: WallTime? = nil) {
        self.clock = clock
        self.booted = booted
        start = life.start
        receiver = SimulatedReceiver(seed: life.seed, sky: .open)
        var here = TravelPlan.home
        for episode in life.episodes {
            let isDrive = episode.kind == .driving
            let there = isDrive ? (here == TravelPlan.home ? Self.workplace : TravelPlan.home) : here
            legs.append(
                TravelPlan.Leg(
                    start: seconds(episode.start), end: seconds(episode.end), from: here, to: there,
                    activity: isDrive ? .automotive : .stationary))
            if isDrive {
                crossings.append(Crossing(at: episode.start, place: Self.name(of: here), isEntered: false))
                crossings.append(Crossing(at: episode.end, place: Self.name(of: there), isEntered: true))
            }
            here = there
        }
    }

    private static func name(of place: TravelPlan.Point) -> String { place == TravelPlan.home ? "home" : "work" }
    private func seconds(_ time: WallTime) -> Double { Double((time - start).nanoseconds) / 1e9 }

    func open(_ descriptor: Int32) -> any PositionSource {
        let opened = LifePositions(self, descriptor, now: clock.now.boot)
        source = opened
        heldSince = clock.now.boot
        return opened
    }

    func close() {
        heldBefore = onTime
        heldSince = nil
    }

    /// The total time that it has worked.
    public var onTime: Interval { heldBefore + (heldSince.map { clock.now.boot - $0 } ?? .zero) }

    /// The time at which the next fix can be read, if there is a connection.
    var readiness: BootTime? { source?.next }

    /// Nil while there is none. To be asked at increasing times.
    func fix(at now: BootTime) -> Fix? {
        let wall = clock.now.wall(at: now)
        let time = seconds(booted.map { $0 + (now - BootTime(nanoseconds: 0)) } ?? wall)
        while legs.count > 1, legs[0].end <= time { legs.removeFirst() }
        guard let leg = legs.first, let fix = receiver.fix(at: time, leg) else { return nil }
        return Fix(at: now, fix.position, mode: fix.mode, error: fix.error, speed: fix.speed, wall: wall)
    }
}

/// A fix each second.
private final class LifePositions: PositionSource {
    let fileDescriptor: Int32?
    private let receiver: LifeReceiver
    private(set) var next: BootTime

    init(_ receiver: LifeReceiver, _ descriptor: Int32, now: BootTime) {
        self.receiver = receiver
        fileDescriptor = descriptor
        next = now + .seconds(1)
    }

    func drain(at now: BootTime) -> [Fix] {
        guard now >= next else { return [] }
        next = now + .seconds(1)
        return receiver.fix(at: now).map { [$0] } ?? []
    }
}
