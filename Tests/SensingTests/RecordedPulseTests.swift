import Domains
import Foundation
import Core
import Recordings
import Sensing
import Testing

@testable import Simulation

private let folder =
    ProcessInfo.processInfo.environment["ANICCA_RECORDINGS"]
    ?? URL(fileURLWithPath: #filePath).appendingPathComponent("../../../../shared/recordings-2").standardized.path
private let absence: Comment = "no recordings at \(folder); set ANICCA_RECORDINGS to test against real people"

/// Real people through chip, driver and session at the device's duty cycle, with the pulses that a cheap step sensor
/// would have given. The recordings are not part of the project: they are in `ANICCA_RECORDINGS`, else in
/// `../shared/recordings-2` beside the package.
@Suite(.enabled(if: FileManager.default.fileExists(atPath: folder + "/index.csv"), absence))
struct RecordedPulseTests {
    /// Both drives, at a wrist that steers: 40 minutes. The remaining steps come at the beginning, when the wearer is
    /// taken to rest.
    @Test(arguments: [15, 45]) func aDriveGivesHardlyAStep(start: Int64) throws {
        let played = try ["wrist_steps_0009", "wrist_steps_0010"].map {
            try Played("\(folder)/wrist_steps/\($0)", after: .seconds(start))
        }
        let pulses = played.reduce(0) { $0 + $1.pulses }
        let steps = played.reduce(0) { $0 + $1.steps }
        #expect(pulses > 800)
        #expect(steps * 100 <= pulses * 3, "\(steps) of \(pulses)")
    }

    @Test(arguments: ["wrist_steps/wrist_steps_0001", "oxford_steps_opt/oxford_steps_opt_0001"])
    func aWalkKeepsItsPulses(recording: String) throws {
        let played = try Played("\(folder)/\(recording)")
        #expect(played.pulses > 80)
        #expect(played.steps * 100 >= played.pulses * 97, "\(played.steps) of \(played.pulses)")
    }

    /// A recording that begins some time after the device was turned on.
    private struct Played {
        var pulses = 0
        let steps: Int

        init(_ name: String, after wait: Interval = .seconds(30)) throws {
            let clock = VirtualClock(bootingAt: UTCDay(daysSinceEpoch: 20_103).start + .hours(12))
            let start = clock.now.boot + wait
            var sensor = ThresholdSensor()
            let reader = try RecordingReader(path: name + ".csv.gz")
            var resampler = Resampler()
            var samples: RecordedWearer.Samples = []
            var pulses: [BootTime] = []
            while let row = try reader.next() {
                samples.append((row.time, row.acceleration))
                resampler.add(row)
                while let sample = resampler.next() {
                    if sensor.add(sample) { pulses.append(start + (sample.time - samples[0].time)) }
                }
            }
            let wearer = RecordedWearer([samples], from: start)
            let devices = SimulatedDevices(source: wearer, pulses: pulses, clock: clock, seed: 1)
            let store = MemoryStore()
            let service = SensingService(
                rules: SensingRules(), devices: devices, store: store, note: { _ in }, signal: {})
            service.allow(CollectionOrder(domains: ServiceBench.both), at: clock.now)
            ServiceRun(service: service, devices: devices, seed: 1).run(
                until: clock.now.wall(at: wearer.end) + .minutes(6))
            self.pulses = pulses.count
            steps =
                store.total(of: .steps, with: service.session).map { Int($0) } ?? 0
        }
    }

    /// A pulse whenever the length of the acceleration rises above 1.1 g, at most one in 400 ms.
    private struct ThresholdSensor {
        private var isHigh = false
        private var readyAt: Interval?

        mutating func add(_ sample: ResampledSample) -> Bool {
            let wasHigh = isHigh
            isHigh = sample.acceleration.magnitude > 1.1
            guard isHigh, !wasHigh else { return false }
            guard readyAt.map({ sample.time >= $0 }) ?? true else {
                isHigh = false
                return false
            }
            readyAt = sample.time + .milliseconds(400)
            return true
        }
    }
}
