import Domains
import Core
import Delivery

/// A night of a fleet against a real server: the times of the devices' attempts, and the effects of the answers. A
/// value; its user has the clock, the connections and the threads.
public struct FleetLoad: Sendable {
    /// One record, with its device.
    public struct Delivery: Sendable {
        /// From 0 on.
        public let device: Int
        public let record: SinkRecord
        public let day: UTCDay
        public let figures: [Figure: FigureValue]
        /// Nil if it was not delivered in this night.
        public let deliveredAt: WallTime?
    }

    public let plan: FleetNight.Plan
    /// The time at which the first records are due.
    public let start: WallTime
    /// First attempts, and all later ones, by minute from `start` on.
    public private(set) var arrivals: [Int] = []
    public private(set) var retries: [Int] = []
    /// The number of attempts by outcome.
    public private(set) var outcomes: [String: Int] = [:]
    /// One problem for each kind of outcome, for people.
    public private(set) var problems: [String: String] = [:]
    /// The longest time from a record's due time to its delivery.
    public private(set) var longestToDelivery = Interval.zero
    /// The longest possible backoff of any device: after the receiver is back, nothing is later by more.
    public var longestWait: Interval { devices.map(\.longestWait).max() ?? .zero }
    private let day: UTCDay
    private var devices: [FleetDevice]
    private var agenda = FleetAgenda()
    private var underWay = 0
    private var random: SplitGenerator

    /// - Parameter night: 0 for the first; each has its own day.
    public init(_ plan: FleetNight.Plan, night: Int) {
        self.plan = plan
        let day = FleetNight.day + night
        self.day = day
        start = day.end + plan.rule.dueAfterMidnight
        devices = (0..<plan.devices).map {
            FleetDevice(plan.names.name(of: $0 + 1, seed: plan.seed), day: day, plan.rule)
        }
        random = SplitGenerator(seed: plan.seed &+ UInt64(night), stream: .max)
        for (index, device) in devices.enumerated() { agenda.add(device.firstRun, index) }
    }

    /// Whether nothing is left to send.
    public var isOver: Bool { agenda.nextTime == nil && underWay == 0 }
    public var nextTime: WallTime? { agenda.nextTime }
    public private(set) var delivered = 0
    public var attempts: Int { outcomes.values.reduce(0, +) }

    /// Takes the next record due at `now`; nil for none.
    public mutating func begin(at now: WallTime) -> Delivery? {
        guard let time = agenda.nextTime, time <= now, let (_, index) = agenda.next() else { return nil }
        underWay += 1
        count(devices[index].firstAttempt == nil ? \.arrivals : \.retries, at: now)
        return delivery(of: index)
    }

    /// Takes the result of a delivery.
    public mutating func end(_ delivery: Delivery, _ answer: SinkAnswer, at now: WallTime) {
        underWay -= 1
        let name = answer.outcome.name
        outcomes[name, default: 0] += 1
        if problems[name] == nil, !answer.problem.isEmpty { problems[name] = answer.problem }
        let index = delivery.device
        if let next = devices[index].take(answer.outcome, at: now, plan.rule, random: random.next()) {
            agenda.add(next, index)
        } else if devices[index].deliveredAt != nil {
            delivered += 1
            longestToDelivery = max(longestToDelivery, now - devices[index].due)
        }
    }

    /// The record of a device; the same for the same seed.
    public func delivery(of index: Int) -> Delivery {
        var own = SplitGenerator(seed: plan.seed ^ UInt64(bitPattern: Int64(day.daysSinceEpoch)), stream: UInt64(index))
        let figures: [Figure: FigureValue] = [
            .steps: FigureValue(Int64(own.next() % 30_000)), .sedentaryMinutes: FigureValue(Int64(own.next() % 900)),
            .sleepDuration: FigureValue(1 + Int64(own.next() % 600)),
            .socialMinutes: FigureValue(Int64(own.next() % 300)),
        ]
        let record = SinkRecord(key: FleetLoad.key(&own), content: .day(day, figures))
        return Delivery(
            device: index, record: record, day: day, figures: figures, deliveredAt: devices[index].deliveredAt)
    }

    /// A version 4 UUID (RFC 9562 §5.4).
    private static func key(_ own: inout SplitGenerator) -> String {
        let high = own.next() & 0xffff_ffff_ffff_0fff | 0x4000
        let low = own.next() & 0x3fff_ffff_ffff_ffff | 0x8000_0000_0000_0000
        let digits = hexadecimal(high) + hexadecimal(low)
        var text = ""
        for (index, digit) in digits.enumerated() {
            if [8, 12, 16, 20].contains(index) { text += "-" }
            text.append(digit)
        }
        return text
    }

    private static func hexadecimal(_ bits: UInt64) -> String {
        let digits = String(bits, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }

    private mutating func count(_ minutes: WritableKeyPath<FleetLoad, [Int]>, at now: WallTime) {
        let minute = Int(max(0, (now - start).inMinutes))
        while self[keyPath: minutes].count <= minute { self[keyPath: minutes].append(0) }
        self[keyPath: minutes][minute] += 1
    }
}

extension DeliveryOutcome {
    /// The key in a tally.
    fileprivate var name: String {
        switch self {
        case .delivered: "delivered"
        case .retry(.usual, _): "retry"
        case .retry(.slow, _): "retrySlowly"
        case .hold(.busy, _): "busy"
        case .hold(.wrongAddress, _): "wrongAddress"
        case .hold(.noReceipt, _): "noReceipt"
        case .hold: "held"
        case .unreachable: "unreachable"
        case .pausedUntilSignIn: "unauthorized"
        case .setAside: "setAside"
        }
    }
}
