import Core
import Foundation
import Recordings
import Signal
import Testing

/// The bounds are the figures reached on the same recordings, with a small margin.
@Suite(.enabled(if: RecordedData.isPresent, RecordedData.absence))
struct RecordedCadenceTests {
    private static func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }

    /// The cadence of a window and the true one, from the first to the last true step in it; nil without either.
    private static func cadences(_ samples: ArraySlice<ResampledSample>, _ bout: ArraySlice<Double>) -> (
        Double, Double
    )? {
        guard let from = samples.first.map({ Double($0.time.nanoseconds) / 1e9 }),
            !samples.dropFirst().contains(where: \.startsSegment),
            let window = Window(samples.map(\.acceleration))
        else { return nil }
        let inside = bout.filter { (from...from + 5.12).contains($0) }
        guard let first = inside.first, let last = inside.last, inside.count >= 4, first - from < 1.5,
            from + 5.12 - last < 1.5, let found = window.cadence
        else { return nil }
        return (Double(found), Double(inside.count - 1) * 60 / (last - first))
    }

    /// By bout of walking, the median cadence of its windows less the true one, in steps per minute. A bout has no two
    /// seconds without a step.
    private static func errors(_ dataset: String, leastWindows: Int, stride step: Int) throws -> [Double] {
        var errors: [Double] = []
        for entry in try RecordedData.entries({ $0.dataset == dataset && $0.trueSteps != nil }) {
            let path = String(entry.path.dropLast(".csv.gz".count)) + ".steps.csv"
            guard FileManager.default.fileExists(atPath: path) else { continue }
            let steps = try FootStep.read(path: path).map { Double($0.time.nanoseconds) / 1e9 }.sorted()
            let samples = try RecordedData.samples(entry)
            let starts = steps.indices.filter { $0 == 0 || steps[$0] - steps[$0 - 1] > 2 }
            for (start, end) in zip(starts, starts.dropFirst() + [steps.count]) {
                let windows = stride(from: 0, through: samples.count - Window.length, by: step).compactMap {
                    cadences(samples[$0..<$0 + Window.length], steps[start..<end])
                }
                guard windows.count >= leastWindows else { continue }
                errors.append(median(windows.map(\.0)) - median(windows.map(\.1)))
            }
        }
        try #require(errors.count >= 40)
        return errors
    }

    /// Walks with foot switches; walks with a long cane, a guide dog or neither; ten metres, a turn and ten metres.
    @Test(arguments: [("oxford_steps_opt", 3, 128, 1.2), ("weallwalk", 3, 128, 2.0), ("ipol_gait", 1, 32, 2.0)])
    func theMedianOfABout(dataset: String, leastWindows: Int, stride: Int, most: Double) throws {
        let errors = try Self.errors(dataset, leastWindows: leastWindows, stride: stride)
        let mean = errors.reduce(0) { $0 + abs($1) } / Double(errors.count)
        print("\(dataset): cadence off by \(mean) steps a minute, over \(errors.count) bouts")
        #expect(mean <= most)
    }

    /// Ten metres, a turn and ten metres, by the counted steps and the cadence of each recording. The publication has no
    /// heights of its ten people: 1.70 m for all. The turn is counted too, and makes no way.
    @Test func theDistanceOfKnownWalks() throws {
        var metres: [Double] = []
        for entry in try RecordedData.entries({ $0.dataset == "ipol_gait" }) {
            let samples = try RecordedData.samples(entry)
            let cadences = stride(from: 0, through: samples.count - Window.length, by: 32).compactMap {
                Window(samples[$0..<$0 + Window.length].map(\.acceleration))?.cadence
            }
            guard !cadences.isEmpty else { continue }
            let cadence = cadences.sorted()[cadences.count / 2]
            metres.append(
                Double(RecordedData.steps(samples)) * Double(StepLength.metres(height: 1.7, cadence: cadence)))
        }
        try #require(metres.count >= 40)
        let mean = metres.reduce(0, +) / Double(metres.count)
        let errors = metres.map { abs($0 - 20) / 20 }.sorted()
        print("ipol_gait: \(mean) m of 20, over \(metres.count) walks; median error \(errors[errors.count / 2])")
        #expect(abs(mean - 20) <= 4.2)
    }

    /// Jogging has 7 MET in the Compendium of Physical Activities 2011 (12020).
    @Test func joggersAtTheWristUseAboutTheEnergyOfTheCompendium() throws {
        let joggers = try RecordedData.entries { $0.dataset == "wisdm2019_watch" && $0.activity == "running" }
        try #require(joggers.count >= 10)
        let energies = try joggers.map { jogger in
            let windows = RecordedData.windows(try RecordedData.samples(jogger)).map(\.window)
            return Self.median(windows.map { Double(GaitEnergy.running(enmo: $0.enmo)) })
        }
        let mean = energies.reduce(0, +) / Double(energies.count)
        print("wisdm2019_watch: jogging at \(mean) MET, over \(energies.count) people")
        #expect(abs(mean - 7) <= 1)
    }
}
