import ArgumentParser
import Commands
import System
import Core
import Simulation

extension FleetNames: ExpressibleByArgument {}
extension FleetNight.Failure: ExpressibleByArgument {}

/// `anicca-lab fleet`
struct Fleet: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Simulate the delivery of a night's records by a fleet of devices.",
        discussion: """
            Each device has the schedule, the jitter and the backoff of the real uploader, and the timer of systemd \
            that starts it. The night runs in virtual time and without a network. Each minute is compared with an even \
            share: all devices divided by the minutes of the jitter.

            With --server it runs against a server, in accelerated real time: every attempt is made by the real sink, \
            on a connection of its own. A file has the accounts, in each line a user id, a space and a token. The \
            server's certificate has to be of an authority of the system; plain http goes to loopback only. The result \
            is a line of JSON for each night.

            With --broker it runs against an MQTT broker in the same way, without accounts: device number 7 publishes \
            below anicca/device-7. Plain mqtt goes to loopback only.

            Examples:
              anicca-lab fleet
              anicca-lab fleet --names hosts
              anicca-lab fleet --outage 10min --failure unreachable
              anicca-lab fleet --outage 10min --retry-after 10min
              anicca-lab fleet --server http://127.0.0.1:8787 --accounts a --truth t
              anicca-lab fleet --broker mqtt://127.0.0.1:1883 --devices 300 --truth t
            """)

    @Option(help: ArgumentHelp("How many devices, 1 to 1,000,000 (100000, or all accounts).", valueName: "number"))
    var devices: Int?

    @Option(help: ArgumentHelp("The source of a device's delay: machine-ids, hosts or copies.", valueName: "kind"))
    var names = FleetNames.machineIDs

    @Option(
        help: ArgumentHelp(
            "How long the server fails from the middle of the jitter on, as 10min or 90s, up to 12h.", valueName: "time"
        ))
    var outage = Span(.zero)

    @Option(help: ArgumentHelp("How it fails: busy (503), error (500) or unreachable.", valueName: "kind"))
    var failure = FleetNight.Failure.busy

    @Option(help: ArgumentHelp("The Retry-After of the failing server.", valueName: "time"))
    var retryAfter: Span?

    @Option(help: ArgumentHelp("The first wait of the backoff, in place of 30s.", valueName: "time"))
    var firstRetry: Span?

    @Option(help: ArgumentHelp("Another fleet.", valueName: "number"))
    var seed: UInt64 = 1

    @OptionGroup var load: FleetLoadOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard (1...1_000_000).contains(devices ?? 1) else {
            throw ValidationError("--devices takes a number from 1 to 1000000.")
        }
        guard firstRetry?.interval ?? .seconds(1) >= .seconds(1) else {
            throw ValidationError("--first-retry takes 1s or more.")
        }
        guard !load.isUsed || outage.interval == .zero else {
            throw ValidationError("--outage is of a simulated server; let that of --server or --broker fail itself.")
        }
        guard outage.interval <= .hours(12) else { throw ValidationError("--outage takes at most 12h.") }
    }

    func run() throws {
        var plan = FleetNight.Plan()
        plan.devices = devices ?? plan.devices
        plan.names = names
        plan.seed = seed
        plan.outage = outage.interval
        plan.failure = failure
        plan.retryAfter = retryAfter?.interval
        if let firstRetry { plan.rule.firstRetry = firstRetry.interval }
        if load.isUsed { return try load.run(plan, of: devices) }
        let night = FleetNight(plan)
        printLines(output.json ? [night.json.description] : night.lines)
    }
}

/// A length of time: `10min`, `90s`, `1h`.
struct Span: ExpressibleByArgument {
    let interval: Interval

    init(_ interval: Interval) { self.interval = interval }

    init?(argument: String) {
        let units: [(name: String, length: Interval)] = [("min", .minutes(1)), ("h", .hours(1)), ("s", .seconds(1))]
        for unit in units where argument.hasSuffix(unit.name) {
            guard let count = Int64(argument.dropLast(unit.name.count)), (0...86_400).contains(count) else {
                return nil
            }
            interval = unit.length * count
            return
        }
        return nil
    }

    var defaultValueDescription: String { "\(interval.inSeconds)s" }
}

extension FleetNight {
    fileprivate var lines: [String] {
        let minutes = max(due.count, arrivals.count, retries.count)
        var rows = [["minute", "due", "arrive", "again", ""]]
        let most = max(1, (0..<minutes).map { count($0, arrivals) + count($0, retries) }.max() ?? 1)
        for minute in 0..<min(minutes, 120) {
            let all = count(minute, arrivals) + count(minute, retries)
            rows.append([
                clock(minute), "\(count(minute, due))", "\(count(minute, arrivals))", "\(count(minute, retries))",
                String(repeating: "▪", count: all * 30 / most),
            ])
        }
        var table = Table(rows[0].enumerated().map { ($0.element, $0.offset == 4 ? .left : .right) })
        for row in rows.dropFirst() { table.add(row) }
        return table.lines() + (minutes > 120 ? ["… and \(minutes - 120) minutes with fewer"] : []) + [""] + remarks
    }

    private var remarks: [String] {
        var lines = [
            "An even minute has \(tenths(evenShare)) of \(plan.devices). The busiest one against it:",
            "  coming due, by the device's own delay   \(hundredths(peak(due)))",
            "  arriving, as systemd starts the runs    \(hundredths(peak(arrivals))), at most \(mostInASecond) in a second",
            "  coming again                            \(hundredths(peak(retries)))",
            "Without a delay of its own every device would be due at once, \(plan.devices) in a second. The timer alone would spread",
            "them over half an hour (\(hundredths(peak(timerAlone)))), its accuracy alone over a minute (\(mostInASecondUndelayed) in a second).",
            "\(delivered) delivered, the last \(longestToDelivery.inSeconds) s after it was due.",
        ]
        if plan.outage > .zero {
            lines.append(
                "After the server was back the last took \(longestAfterOutage.inSeconds) s; "
                    + "the backoff allows \(boundAfterOutage.inSeconds) s.")
        }
        return lines
    }

    fileprivate var json: JSONObject {
        var json = JSONObject()
        json.put("devices", plan.devices)
        json.put("names", plan.names.rawValue)
        json.put("evenMinute", evenShare)
        json.put("duePeak", peak(due))
        json.put("arrivalPeak", peak(arrivals))
        json.put("retryPeak", peak(retries))
        json.put("mostInASecond", mostInASecond)
        json.put("timerAlonePeak", peak(timerAlone))
        json.put("mostInASecondUndelayed", mostInASecondUndelayed)
        json.put("delivered", delivered)
        json.put("longestToDeliverySeconds", longestToDelivery.inSeconds)
        json.put("longestAfterOutageSeconds", longestAfterOutage.inSeconds)
        json.put("boundAfterOutageSeconds", boundAfterOutage.inSeconds)
        json.put(
            "minutes",
            (0..<max(due.count, arrivals.count, retries.count)).map { minute in
                var object = JSONObject()
                object.put("minute", clock(minute))
                object.put("due", count(minute, due))
                object.put("arrivals", count(minute, arrivals))
                object.put("retries", count(minute, retries))
                return object
            })
        return json
    }

    private func count(_ minute: Int, _ minutes: [Int]) -> Int {
        minutes.indices.contains(minute) ? minutes[minute] : 0
    }

    private func clock(_ minute: Int) -> String {
        let minute = Int(plan.rule.dueAfterMidnight.inMinutes) + minute
        let (hour, rest) = (minute / 60 % 24, minute % 60)
        return (hour < 10 ? "0" : "") + "\(hour):" + (rest < 10 ? "0" : "") + "\(rest)"
    }

    private func hundredths(_ value: Double) -> String {
        let count = Int((value * 100).rounded())
        return "\(count / 100).\(count % 100 / 10)\(count % 10)"
    }
}
