import Commands
import System
import Core
import Recordings
import Signal

/// Separates sleep from wake in a table of a night's movement.
struct SleepReplay {
    private let file: String
    private let rows: [MovementTable.Row]
    /// The epoch of each row; rows of one epoch are added up.
    private let epochs: [Int]
    private let asleep: [Bool]

    /// - Throws: the fault of the file.
    init(_ file: String) throws(RecordingError) {
        self.file = file
        let rows = try MovementTable(path: file).rows
        let start = rows.first?.time ?? .zero
        let half = SleepScorer.epoch / 2
        epochs = rows.map { Int(($0.time - start + half).nanoseconds / SleepScorer.epoch.nanoseconds) }
        var counts = [Float?](repeating: nil, count: (epochs.last ?? -1) + 1)
        for (row, epoch) in zip(rows, epochs) { counts[epoch] = (counts[epoch] ?? 0) + row.count }
        self.rows = rows
        asleep = SleepScorer().asleep(counts)
    }

    func printLines() {
        for (row, epoch) in zip(rows, epochs) {
            var json = JSONObject()
            json.put("kind", "epoch")
            if row.time.nanoseconds % Interval.seconds(1).nanoseconds == 0 {
                json.put("tS", row.time.inSeconds)
            } else {
                json.put("tS", Double(row.time.inMilliseconds) / 1000)
            }
            json.put("asleep", asleep[epoch])
            print(json)
        }
        print(summary)
    }

    func printText() {
        print(escapingControls(file))
        let share = (efficiency * 1000).rounded() / 10
        print("  \(counted(known.count, "epoch")) of 30 s: asleep \(minutesAsleep) min, awake \(minutesAwake) min")
        print("  asleep \(share) % of the time")
    }

    private var summary: JSONObject {
        var json = JSONObject()
        json.put("kind", "summary")
        json.put("file", file)
        json.put("epochs", known.count)
        var minutes = JSONObject()
        minutes.put("asleep", minutesAsleep)
        minutes.put("awake", minutesAwake)
        json.put("minutes", minutes)
        json.put("efficiency", (efficiency * 10_000).rounded() / 10_000)
        return json
    }

    /// The epochs with a row in the table.
    private var known: Set<Int> { Set(epochs) }
    private var minutesAsleep: Double { minutes(known.count { asleep[$0] }) }
    private var minutesAwake: Double { minutes(known.count { !asleep[$0] }) }
    /// The share of the epochs that is sleep, 0 to 1.
    private var efficiency: Double { Double(known.count { asleep[$0] }) / Double(max(known.count, 1)) }

    private func minutes(_ epochs: Int) -> Double {
        Double(epochs) * Double(SleepScorer.epoch.inSeconds) / 60
    }
}
