import Foundation
import Quantities
import SimulatedBus
import Simulation
import Testing

/// Each process is killed at random points, again and again, and started anew.
@Suite struct KillTests {
    private let first = UTCDay(daysSinceEpoch: 20_101)
    private let days = 3

    @Test func killedAnywhereTheRightRecordsArriveOnceEach() throws {
        let seed = UInt64.random(in: 0 ... .max)
        var random = SeededGenerator(seed: seed)
        let device = try Device()
        try device.setUp(before: first)
        let kills = try live(on: device, using: &random)
        try deliverEverything(on: device, using: &random)
        try check(device, daemonKills: kills, hint: "seed \(seed), \(kills) kills of the daemon")
    }

    /// Lives to the end of the last day, killing the daemon at random virtual times and the uploader and the receiver
    /// in between. Returns the count of kills of the daemon.
    private func live(on device: Device, using random: inout SeededGenerator) throws -> Int {
        let end = (first + days).start
        var kills = 0
        while true {
            let daemon = try device.daemon(seed: 7, days: days, from: first, clock: "clock")
            let now = device.time(of: "clock") ?? first.start
            let killAt = now + .minutes(.random(in: 1...(10 * 60), using: &random))
            while daemon.isRunning, (device.time(of: "clock") ?? now) < killAt { usleep(200) }
            guard daemon.isRunning else {
                #expect(daemon.wait() == 0)
                return kills
            }
            daemon.kill()
            kills += 1
            try upload(on: device, at: min(device.time(of: "clock") ?? now, end), using: &random)
        }
    }

    /// Starts an uploader, and kills it or the receiver while it is at work.
    private func upload(on device: Device, at time: WallTime, using random: inout SeededGenerator) throws {
        let uploader = try device.uploader(at: time)
        usleep(.random(in: 0...60_000, using: &random))
        switch Int.random(in: 0...2, using: &random) {
        case 0:
            uploader.kill()
        case 1:
            device.killReceiver()
            _ = uploader.wait()
            try device.startReceiver()
        default:
            _ = uploader.wait()
        }
    }

    /// Runs the uploader hour by hour, killing it half of the time, and in the end lets it finish.
    private func deliverEverything(on device: Device, using random: inout SeededGenerator) throws {
        let due = (first + days).start + .hours(4)
        for hour in 0..<8 {
            let uploader = try device.uploader(at: due + .hours(Int64(hour)))
            if hour < 4, Bool.random(using: &random) {
                usleep(.random(in: 0...40_000, using: &random))
                uploader.kill()
            } else {
                let status = uploader.wait()
                #expect(status == 0 || status == 75, "75: what failed before waits for its hour")
            }
        }
    }

    private func check(_ device: Device, daemonKills kills: Int, hint: String) throws {
        let comment = Comment(rawValue: hint)
        let received = try device.received()
        let queued = try device.queued()
        let keys = received.map { $0.key.replacingOccurrences(of: "-", with: "").lowercased() }
        #expect(keys.sorted() == queued.map(\.key).sorted(), comment)

        let records = try received.filter { $0.path.hasSuffix("daily_metrics") }.map(DailyRecord.init)
        // The last day ends with the run and stays open.
        let truths = WearerLife(firstDay: first, days: days, seed: 7).truth.dropLast()
        #expect(records.map(\.date).sorted() == truths.map(\.day.description), comment)
        for truth in truths {
            let steps = records.first { $0.date == truth.day.description }?.steps ?? 0
            // A restart loses at most a minute of pulses, and none is counted twice.
            let lost = kills * 190
            #expect(steps <= truth.steps + truth.steps / 50, comment)
            #expect(steps >= truth.steps - truth.steps / 50 - lost, comment)
        }
        let history = try device.history()
        for record in records {
            let day = history.first { $0.contains("\"\(record.date)\"") } ?? ""
            #expect(day.contains("\"steps\":\(record.steps ?? -1)"), comment)
            #expect(day.contains("\"sedentaryMinutes\":\(record.sedentaryMinutes ?? -1)"), comment)
        }
    }
}
