import Commands
import Config
import System
import Foundation
import Core
import Simulation
import Delivery

/// Runs nights of a fleet against a server or a broker, in accelerated real time: threads take the due records. Each
/// attempt has a connection of its own, like each run of the uploader. The lock guards the mutable state.
final class FleetDrive: @unchecked Sendable {
    /// The receiver of the fleet's records.
    enum Receiver: Sendable {
        /// A server, with the content of an account file for each device.
        case server(String, accounts: [[UInt8]])
        /// A broker, where each device has topics of its own.
        case broker(String)
    }

    /// The settings of the load.
    struct Plan: Sendable {
        let receiver: Receiver
        var speed = 30
        var connections = 64
        /// In real time, for all nights.
        var lifetime = Interval.hours(1)
        /// In real time, for one answer.
        var timeout = Interval.seconds(30)
    }

    private let plan: Plan
    private let lock = NSCondition()
    private var load: FleetLoad
    /// The time of the fleet at `began`.
    private let start: WallTime
    private let began: Int64
    private let ends: Int64
    private var failure: SinkUnusable?
    private var running = 0
    private(set) var longestAnswer = Interval.zero
    private var answered = Interval.zero
    private var answers = 0

    /// - Parameter ends: by `CLOCK_MONOTONIC`.
    init(_ load: FleetLoad, _ plan: Plan, ends: Int64) {
        self.load = load
        start = load.start
        self.plan = plan
        self.ends = ends
        began = nanoseconds(of: CLOCK_MONOTONIC)
    }

    var meanAnswer: Interval { answers == 0 ? .zero : answered / Int64(answers) }

    /// Runs until nothing is left to send, or the time limit.
    ///
    /// - Parameter tell: called about once a second.
    func run(_ tell: (_ delivered: Int, _ attempts: Int, WallTime) -> Void) throws(SinkUnusable) -> FleetLoad {
        let threads = (0..<plan.connections).compactMap { _ in startThread() }
        // They are joined: OpenSSL frees at the end of the process what the end of a thread still uses.
        defer { for thread in threads { pthread_join(thread, nil) } }
        var isRunning = true
        while isRunning {
            lock.withLock {
                if running > 0 { _ = lock.wait(until: Date.now.addingTimeInterval(1)) }
                isRunning = running > 0
            }
            let (delivered, attempts) = lock.withLock { (load.delivered, load.attempts) }
            tell(delivered, attempts, now)
        }
        if let failure { throw failure }
        return load
    }

    /// Starts one more that takes what is due; nil where the system has no thread for it.
    private func startThread() -> pthread_t? {
        lock.withLock { running += 1 }
        let drive = Unmanaged.passRetained(self)
        var thread = pthread_t()
        let status = pthread_create(
            &thread, nil,
            { context in
                if let context { Unmanaged<FleetDrive>.fromOpaque(context).takeRetainedValue().workToTheEnd() }
                return nil
            }, drive.toOpaque())
        if status == 0 { return thread }
        drive.release()
        end()
        return nil
    }

    private func workToTheEnd() {
        work()
        end()
    }

    private func end() {
        lock.withLock {
            running -= 1
            lock.broadcast()
        }
    }

    /// The time of the fleet.
    private var now: WallTime {
        start + Interval(nanoseconds: (nanoseconds(of: CLOCK_MONOTONIC) - began) * Int64(plan.speed))
    }

    private func work() {
        while let delivery = next() {
            let sent = nanoseconds(of: CLOCK_MONOTONIC)
            let answer: SinkAnswer
            do throws(SinkUnusable) {
                let sink = try FleetDrive.sink(of: delivery.device, plan)
                answer = sink.deliver(
                    delivery.record, as: sink.message(for: delivery.record.content), timeout: plan.timeout)
                sink.finish(at: now, timeout: plan.timeout)
            } catch {
                lock.withLock { failure = error }
                return
            }
            let took = Interval(nanoseconds: nanoseconds(of: CLOCK_MONOTONIC) - sent)
            lock.withLock {
                load.end(delivery, answer, at: now)
                longestAnswer = max(longestAnswer, took)
                answered += took
                answers += 1
            }
        }
    }

    /// Waits for a due record; nil if no more will come.
    private func next() -> FleetLoad.Delivery? {
        while true {
            let now = now
            let (delivery, wait) = lock.withLock { () -> (FleetLoad.Delivery?, Int64?) in
                if load.isOver || failure != nil || nanoseconds(of: CLOCK_MONOTONIC) >= ends { return (nil, nil) }
                if let delivery = load.begin(at: now) { return (delivery, nil) }
                let next = load.nextTime.map { ($0 - now).inMilliseconds / Int64(plan.speed) } ?? 100
                return (nil, min(100, max(1, next)))
            }
            guard let wait else { return delivery }
            usleep(UInt32(wait) * 1000)
        }
    }

    /// The sink of a device, opened as by its uploader for a run.
    static func sink(of device: Int, _ plan: Plan) throws(SinkUnusable) -> any Sink {
        var settings = Settings()
        var account: AccountFile?
        let kind: SinkKind
        let option: String
        switch plan.receiver {
        case .server(let server, let accounts):
            (kind, option) = (.https, "--server \(server)")
            settings.server.baseURL = server
            account = AccountFile(content: accounts[device])
        case .broker(let broker):
            (kind, option) = (.mqtt, "--broker \(broker)")
            settings.mqtt.broker = broker
            settings.mqtt.device = name(of: device)
        }
        let context = SinkContext(settings, account: account, userAgent: "anicca-lab/\(aniccaVersion)")
        guard case .ready(let sink) = try kind.open(context).state else {
            throw SinkUnusable("the sink \(kind.name) cannot be used with \(option)", .configuration)
        }
        return sink
    }

    /// The name of a device in a broker's topics.
    static func name(of device: Int) -> String { "device-\(device + 1)" }
}

/// The accounts of a fleet: on each line a user id and a token.
struct FleetAccounts {
    /// In the order of the file, as account files.
    let contents: [[UInt8]]
    let userIDs: [String]

    init(path: String) throws(Failure) {
        let bytes: [UInt8]
        do {
            bytes = try readFile(path, limit: 256 << 20)
        } catch {
            throw Failure("\(error)", .noInput)
        }
        var contents: [[UInt8]] = []
        var userIDs: [String] = []
        for (number, line) in bytes.split(separator: UInt8(ascii: "\n")).enumerated() {
            let words = line.split(separator: UInt8(ascii: " "))
            guard words.count == 2, let userID = AccountFile.userID(String(decoding: words[0], as: UTF8.self)),
                let token = Secret(.token, fileContent: Array(words[1]))
            else {
                throw Failure("\(path), line \(number + 1): not a user id (UUID), a space and a token", .dataError)
            }
            contents.append(AccountFile(userID: userID, token: token).content)
            userIDs.append(userID)
        }
        self.contents = contents
        self.userIDs = userIDs
    }
}
