import ArgumentParser
import Commands
import System
import Foundation
import Core
import Simulation
import Delivery

/// `anicca-lab fleet --server`, and `--broker`
struct FleetLoadOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The base-url of a server that the fleet sends to.", valueName: "url"))
    var server: String?

    @Option(help: ArgumentHelp("The accounts, with --server.", valueName: "file"))
    var accounts: String?

    @Option(help: ArgumentHelp("The address of an MQTT broker that the fleet sends to.", valueName: "url"))
    var broker: String?

    @Option(help: ArgumentHelp("How many times faster time passes, 1 to 1000.", valueName: "number"))
    var speed = 30

    @Option(help: ArgumentHelp("How many nights, 1 to 60.", valueName: "number"))
    var nights = 1

    @Option(help: ArgumentHelp("How many requests are under way at once, 1 to 1024.", valueName: "number"))
    var connections = 64

    @Option(
        help: ArgumentHelp(
            "After how long it ends in any case, by the clock on the wall, up to 24h.", valueName: "time"))
    var lifetime = Span(.hours(1))

    @Option(help: ArgumentHelp("Write a line of JSON for each record into this file.", valueName: "file"))
    var truth: String?

    func validate() throws {
        guard (server == nil) == (accounts == nil) else {
            throw ValidationError("--server and --accounts go together.")
        }
        guard server == nil || broker == nil else { throw ValidationError("Give --server or --broker, not both.") }
        guard isUsed || truth == nil else { throw ValidationError("--truth goes with --server or --broker.") }
        guard (1...1000).contains(speed) else { throw ValidationError("--speed takes a number from 1 to 1000.") }
        guard (1...60).contains(nights) else { throw ValidationError("--nights takes a number from 1 to 60.") }
        guard (1...1024).contains(connections) else { throw ValidationError("--connections takes 1 to 1024.") }
        guard lifetime.interval > .zero else { throw ValidationError("--lifetime takes more than 0s.") }
    }

    /// Whether there is a server or a broker to send to.
    var isUsed: Bool { server != nil || broker != nil }

    /// - Parameter wanted: the number of devices; nil for as many as there are accounts, or as in the plan.
    func run(_ plan: FleetNight.Plan, of wanted: Int?) throws(Failure) {
        var plan = plan
        let receiver: FleetDrive.Receiver
        var userIDs: [String]?
        if let server {
            let accounts = try FleetAccounts(path: accounts ?? "")
            let count = wanted ?? accounts.contents.count
            guard count > 0, count <= accounts.contents.count else {
                throw Failure(
                    "\(self.accounts ?? "") has \(accounts.contents.count) accounts for \(counted(count, "device"))",
                    .dataError)
            }
            plan.devices = count
            receiver = .server(server, accounts: accounts.contents)
            userIDs = accounts.userIDs
        } else {
            receiver = .broker(broker ?? "")
        }
        var drive = FleetDrive.Plan(receiver: receiver)
        drive.speed = speed
        drive.connections = connections
        try live(plan, drive, userIDs)
    }

    private func live(_ plan: FleetNight.Plan, _ drive: FleetDrive.Plan, _ userIDs: [String]?) throws(Failure) {
        let truth = try truth.map { path throws(Failure) in try TruthFile(path) }
        let ends = nanoseconds(of: CLOCK_MONOTONIC) + lifetime.interval.nanoseconds
        for night in 0..<nights where nanoseconds(of: CLOCK_MONOTONIC) < ends {
            let began = nanoseconds(of: CLOCK_MONOTONIC)
            let progress = Progress("")
            let running = FleetDrive(FleetLoad(plan, night: night), drive, ends: ends)
            let load: FleetLoad
            do throws(SinkUnusable) {
                load = try running.run { delivered, attempts, now in
                    progress.show("\(now): \(delivered) of \(plan.devices) delivered, \(attempts) attempts")
                }
            } catch {
                throw Failure(error.description, error.exitCode)
            }
            progress.clear()
            try truth?.write(load, userIDs)
            var json = load.json
            json.put("seconds", (nanoseconds(of: CLOCK_MONOTONIC) - began) / 1_000_000_000)
            json.put("meanAnswerMilliseconds", running.meanAnswer.inMilliseconds)
            json.put("longestAnswerMilliseconds", running.longestAnswer.inMilliseconds)
            print(json.description)
        }
    }
}

extension FleetLoad {
    /// Times are in the fleet's time.
    fileprivate var json: JSONObject {
        var json = JSONObject()
        json.put("kind", "night")
        json.put("date", delivery(of: 0).day.description)
        json.put("sent", plan.devices)
        json.put("delivered", delivered)
        json.put("attempts", attempts)
        var outcomes = JSONObject()
        for (name, count) in self.outcomes.sorted(by: { $0.key < $1.key }) { outcomes.put(name, count) }
        json.put("outcomes", outcomes)
        var problems = JSONObject()
        for (name, problem) in self.problems.sorted(by: { $0.key < $1.key }) { problems.put(name, problem) }
        json.put("problems", problems)
        put("arrival", arrivals, into: &json)
        put("retry", retries, into: &json)
        json.put("longestToDeliverySeconds", longestToDelivery.inSeconds)
        json.put("longestWaitSeconds", longestWait.inSeconds)
        json.put(
            "minutes",
            (0..<max(arrivals.count, retries.count)).map { minute in
                var object = JSONObject()
                object.put("minute", minute)
                object.put("arrivals", arrivals.indices.contains(minute) ? arrivals[minute] : 0)
                object.put("retries", retries.indices.contains(minute) ? retries[minute] : 0)
                return object
            })
        return json
    }

    /// For each minute: the maximum, and the mean from the first to the last minute with any.
    private func put(_ name: String, _ minutes: [Int], into json: inout JSONObject) {
        let busy = minutes.drop { $0 == 0 }
        json.put("\(name)Peak", minutes.max() ?? 0)
        json.put("\(name)Mean", busy.isEmpty ? 0 : Double(busy.reduce(0, +)) / Double(busy.count))
        json.put("\(name)Minutes", busy.count)
    }
}

/// The records sent by each device, for a comparison with the receiver's.
private struct TruthFile {
    private let path: String
    private let descriptor: Int32

    init(_ path: String) throws(Failure) {
        self.path = path
        descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw Failure("\(path): \(String(cString: strerror(errno)))", .cannotCreate) }
    }

    /// - Parameter userIDs: nil if the topic identifies the account.
    func write(_ load: FleetLoad, _ userIDs: [String]?) throws(Failure) {
        var text: [UInt8] = []
        for index in 0..<load.plan.devices {
            text += line(load.delivery(of: index), userIDs?[index]).utf8 + [UInt8(ascii: "\n")]
            guard text.count > 1 << 20 || index == load.plan.devices - 1 else { continue }
            guard writeAll(text, to: descriptor) else {
                throw Failure("\(path): \(String(cString: strerror(errno)))", .inputOutput)
            }
            text = []
        }
    }

    private func line(_ delivery: FleetLoad.Delivery, _ userID: String?) -> JSONObject {
        var json = JSONObject()
        json.put("key", delivery.record.key)
        if let userID {
            json.put("userId", userID)
        } else {
            json.put("device", FleetDrive.name(of: delivery.device))
        }
        json.put("date", delivery.day.description)
        var figures = JSONObject()
        for (figure, value) in delivery.figures.sorted(by: { $0.key.id < $1.key.id }) {
            figures.put(figure: figure, value)
        }
        json.put("figures", figures)
        if let time = delivery.deliveredAt { json.put("deliveredAt", time.description) }
        return json
    }
}
