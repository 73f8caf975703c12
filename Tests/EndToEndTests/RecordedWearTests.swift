import Foundation
import TestFiles
import Testing

/// Recordings of real people through the chip's registers, the store and the network. They are not part of the project.
@Suite struct RecordedWearTests {
    @Test(.enabled(if: sharedRecordings != nil, "skipped: no recordings beside the checkout (../shared/recordings-2)"))
    func aDayOfRealPeopleArrivesWithTheirStepsAndSitting() throws {
        let folder = try #require(sharedRecordings)
        let desk = "wrist_steps/wrist_steps_0012.csv.gz"
        let drive = "wrist_steps/wrist_steps_0010.csv.gz"
        let walks = (1...6).map { "oxford_steps_opt/oxford_steps_opt_000\($0).csv.gz" }
        let files = ([desk] + walks + [drive]).map { folder.appending(path: $0).path }
        let result = try Program.run("anicca-lab", ["demo", "--json", "--recording"] + files)
        #expect(result.status == 0)

        let day = try #require(result.lines.first)
        let record = try JSONDecoder().decode([String: Value].self, from: Data(day.utf8))
        let steps = try #require(record["steps"]?.number)
        let trueSteps = try #require(record["trueSteps"]?.number)
        #expect(trueSteps > 1_000)
        #expect(abs(steps - trueSteps) <= trueSteps / 50, "counted \(steps) of \(trueSteps)")
        let sedentary = try #require(record["sedentaryMinutes"]?.number)
        #expect((50...75).contains(sedentary), "an hour and four minutes at a desk, then walks and a drive")
    }

    private enum Value: Decodable {
        case number(Int)
        case text(String)

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if let number = try? container.decode(Int.self) {
                self = .number(number)
            } else {
                self = .text(try container.decode(String.self))
            }
        }

        var number: Int? { if case .number(let number) = self { number } else { nil } }
    }
}
