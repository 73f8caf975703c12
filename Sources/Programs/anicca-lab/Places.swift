import ArgumentParser
import Commands
import Domains
import Foundation
import System
import Core
import Recordings
import Simulation

/// `anicca-lab places`
struct Places: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Simulate days with a receiver, and count wrong events of places.",
        discussion: """
            The receiver drifts, sees walls that throw it hundreds of metres off while it calls itself exact, and \
            spikes of 1.5 km. The wearer has a fence of 150 m at home and one at work. The table shows crossings that \
            were missed, false, or reported later than 60 s after the fixes left no doubt; visits by their F1; and for \
            how long the receiver worked.

            Examples:
              anicca-lab places --days 100
              anicca-lab places --days 1000 --rest
              anicca-lab places --tracks ../shared/tracks
            """)

    @Option(help: ArgumentHelp("Simulated days of each kind.", valueName: "number"))
    var days = 100

    @Option(help: ArgumentHelp("The seed.", valueName: "number"))
    var seed: UInt64 = 1

    @Flag(help: "The wearer stays at home.")
    var rest = false

    @Option(help: ArgumentHelp("Play the real tracks of this folder, with its index.csv, instead.", valueName: "dir"))
    var tracks: String?

    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard (1...10_000).contains(days) else { throw ValidationError("--days takes a number from 1 to 10000.") }
    }

    func run() throws {
        if let tracks { return try play(tracks) }
        var rows = [
            ["mode", "sky", "imu", "crossings", "missed", "wrong", "late", "visits", "F1", "minutes a day", "starts"]
        ]
        let progress = output.json ? nil : Progress("")
        for conditions in Self.conditions {
            progress?.show("\(rows.count) of \(Self.conditions.count)")
            let trial = PlaceTrial(TravelPlan(days: days, seed: seed, travels: !rest), seed: seed, conditions)
            if output.json {
                print(trial.json(conditions).description)
            } else {
                rows.append(trial.cells(conditions))
            }
        }
        progress?.clear()
        if !output.json { printLines(aligned(rows)) }
    }

    private func play(_ folder: String) throws {
        var (stays, found, visits, wrong) = (0, 0, 0, 0)
        var rows = [["track", "stays", "found", "visits", "wrong"]]
        do throws(RecordingError) {
            for track in try TrackIndex(path: "\(folder)/index.csv").tracks {
                let trial = TrackTrial(try TrackTable(path: "\(folder)/\(track.name).csv.gz"), stays: track.stays)
                (stays, found) = (stays + trial.stays.count, found + trial.found)
                (visits, wrong) = (visits + trial.visits.count, wrong + trial.wrong)
                rows.append([
                    track.name, "\(trial.stays.count)", "\(trial.found)", "\(trial.visits.count)", "\(trial.wrong)",
                ])
            }
        } catch {
            throw Failure(error)
        }
        if output.json {
            var object = JSONObject()
            object.put("kind", "tracks")
            object.put("stays", Int64(stays))
            object.put("found", Int64(found))
            object.put("visits", Int64(visits))
            object.put("wrong", Int64(wrong))
            return print(object.description)
        }
        printLines(aligned(rows + [["all", "\(stays)", "\(found)", "\(visits)", "\(wrong)"]]))
    }

    private static var conditions: [PlaceTrial.Conditions] {
        var all: [PlaceTrial.Conditions] = []
        for mode in LocationSettings.Mode.allCases {
            for isInCanyon in [false, true] {
                for hasIMU in [true, false] {
                    var conditions = PlaceTrial.Conditions()
                    (conditions.mode, conditions.isInCanyon, conditions.hasIMU) = (mode, isInCanyon, hasIMU)
                    all.append(conditions)
                }
            }
        }
        return all
    }
}

extension PlaceTrial {
    private var late: Int { delays.filter { $0 > 60 }.count }

    /// The harmonic mean of two shares: of visits that were found, and of reported visits that were true.
    private var f1: Double {
        let all = visits + foundVisits + falseVisits
        return all == 0 ? 1 : 2 * Double(foundVisits) / Double(all)
    }

    private var minutesADay: Double { receiverSeconds / 60 / Double(days) }

    fileprivate func cells(_ conditions: Conditions) -> [String] {
        [
            conditions.mode.rawValue, conditions.isInCanyon ? "canyon" : "open", conditions.hasIMU ? "yes" : "no",
            "\(crossings)", "\(missed)", "\(wrong)", "\(late)", "\(visits)", digits(f1, 3), digits(minutesADay, 1),
            "\(takings)",
        ]
    }

    fileprivate func json(_ conditions: Conditions) -> JSONObject {
        var object = JSONObject()
        object.put("kind", "places")
        object.put("mode", conditions.mode.rawValue)
        object.put("sky", conditions.isInCanyon ? "canyon" : "open")
        object.put("imu", conditions.hasIMU)
        object.put("days", Int64(days))
        object.put("crossings", Int64(crossings))
        object.put("missed", Int64(missed))
        object.put("wrong", Int64(wrong))
        object.put("late", Int64(late))
        object.put("visits", Int64(visits))
        object.put("f1", f1)
        object.put("receiverMinutesPerDay", minutesADay)
        object.put("receiverStarts", Int64(takings))
        return object
    }
}

private func digits(_ value: Double, _ count: Int) -> String {
    value.formatted(
        .number.precision(.fractionLength(count)).grouping(.never).locale(Locale(identifier: "en_US_POSIX")))
}
