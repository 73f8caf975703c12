import Core
import SimulatedBus

/// A night in which a fleet sends its records, in virtual time and without a network (SPEC §7).
public struct FleetNight {
    /// The server's behaviour during an outage.
    public enum Failure: String, CaseIterable, Sendable {
        /// 503, with `Retry-After` if the plan has one.
        case busy
        /// 500.
        case error
        /// No connection.
        case unreachable

        func outcome(retryAfter: Interval?) -> DeliveryOutcome {
            switch self {
            case .busy: DeliveryOutcome(.status(503, retryAfter: retryAfter))
            case .error: DeliveryOutcome(.status(500, retryAfter: retryAfter))
            case .unreachable: DeliveryOutcome(.unreachable)
            }
        }
    }

    public struct Plan: Sendable {
        public var devices = 100_000
        public var names = FleetNames.machineIDs
        public var seed: UInt64 = 1
        /// Begins in the middle of the time in which records become due; zero for none.
        public var outage = Interval.zero
        public var failure = Failure.busy
        /// The wait that an answering server requests.
        public var retryAfter: Interval?
        public var rule = DeliveryRule()

        public init() {}
    }

    public let plan: Plan
    /// Records that become due, by minute from the hour on, independent of the uploader's start.
    public private(set) var due: [Int] = []
    /// First attempts, as the timer starts them.
    public private(set) var arrivals: [Int] = []
    /// All later attempts.
    public private(set) var retries: [Int] = []
    /// First attempts without the devices' own delay: by the timer alone.
    public private(set) var timerAlone: [Int] = []
    /// The most first attempts in one second, with all delays and with only the timer's accuracy.
    public private(set) var mostInASecond = 0
    public private(set) var mostInASecondUndelayed = 0
    public private(set) var delivered = 0
    /// The longest time from a record's due time to its delivery.
    public private(set) var longestToDelivery = Interval.zero
    /// The longest time from the end of the outage to the delivery of an affected record.
    public private(set) var longestAfterOutage = Interval.zero
    /// The bound by the backoff: the longest possible wait of any device.
    public private(set) var boundAfterOutage = Interval.zero

    static let day = UTCDay(daysSinceEpoch: 20_103)

    public init(_ plan: Plan) {
        self.plan = plan
        var devices = (0..<plan.devices).map {
            FleetDevice(plan.names.name(of: $0 + 1, seed: plan.seed), day: FleetNight.day, plan.rule)
        }
        var seconds: [Int64: Int] = [:]
        var undelayed: [Int64: Int] = [:]
        for device in devices {
            add(device.due, to: &due)
            add(device.firstRun, to: &arrivals)
            add(device.starts[0], to: &timerAlone)
            seconds[device.firstRun.secondsSinceEpoch, default: 0] += 1
            undelayed[device.undelayedStart.secondsSinceEpoch, default: 0] += 1
        }
        mostInASecond = seconds.values.max() ?? 0
        mostInASecondUndelayed = undelayed.values.max() ?? 0
        live(&devices)
        delivered = devices.count { $0.deliveredAt != nil }
    }

    private mutating func live(_ devices: inout [FleetDevice]) {
        let outage = outage
        var agenda = FleetAgenda()
        for (index, device) in devices.enumerated() { agenda.add(device.firstRun, index) }
        var random = SplitGenerator(seed: plan.seed, stream: .max)
        while let (now, index) = agenda.next() {
            let isRetry = devices[index].firstAttempt != nil
            if isRetry { add(now, to: &retries) }
            let bound = devices[index].longestWait
            let outcome = outage.contains(now) ? plan.failure.outcome(retryAfter: plan.retryAfter) : .delivered
            if let next = devices[index].take(outcome, at: now, plan.rule, random: random.next()) {
                agenda.add(next, index)
                continue
            }
            longestToDelivery = max(longestToDelivery, now - devices[index].due)
            guard isRetry else { continue }
            longestAfterOutage = max(longestAfterOutage, now - outage.upperBound)
            boundAfterOutage = max(boundAfterOutage, bound)
        }
    }

    private var outage: Range<WallTime> {
        let middle = start + plan.rule.jitter / 2
        return middle..<middle + plan.outage
    }

    private var start: WallTime { FleetNight.day.end + plan.rule.dueAfterMidnight }

    private func add(_ time: WallTime, to minutes: inout [Int]) {
        let minute = Int(max(0, (time - start).inMinutes))
        while minutes.count <= minute { minutes.append(0) }
        minutes[minute] += 1
    }
}

extension FleetNight {
    /// The arrivals in a minute if they were spread evenly over the jitter.
    public var evenShare: Double { Double(plan.devices) / max(1, Double(plan.rule.jitter.inMinutes)) }

    /// The busiest minute relative to an even one.
    public func peak(_ minutes: [Int]) -> Double { Double(minutes.max() ?? 0) / evenShare }
}
