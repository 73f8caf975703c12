import Commands
import System
import Core
import Signal

/// Prints the results of a replay of one file as they come: JSON lines for programs, spells of one activity for people.
final class ReplayPrinter {
    private let file: String
    private let json: Bool
    private var isTitled = false
    private var spell: Spell?

    /// Successive windows with the same verdict.
    private struct Spell {
        let start: Interval
        var end: Interval
        let name: String
    }

    init(file: String, json: Bool) {
        self.file = file
        self.json = json
    }

    func show(_ window: JudgedWindow) {
        guard !json else { return print(window.json) }
        let name = window.isWorn ? window.judgement.activity.description : "not worn"
        if spell?.name != name || window.followsGap {
            printSpell()
            spell = Spell(start: window.start, end: window.start, name: name)
        }
        spell?.end = window.start + Window.duration
    }

    /// Call it only if the whole file was good.
    func finish(_ summary: ReplaySummary) {
        guard !json else {
            for sleep in summary.sleeps { print(sleep.json) }
            return print(summary.json(file: file))
        }
        printSpell()
        printTitle()
        for sleep in summary.sleeps {
            let time = "\(sleep.start.clockText) to \(sleep.end.clockText)"
            print("  \(time)  in bed, \(sleep.asleep.inMinutes) min of it asleep")
        }
        printLines(summary.lines.map { "  \($0)" })
    }

    /// Printed only before output: the message about an unreadable file names it.
    private func printTitle() {
        if !isTitled { print(escapingControls(file)) }
        isTitled = true
    }

    private func printSpell() {
        guard let spell else { return }
        printTitle()
        print("  \(spell.start.clockText) to \(spell.end.clockText)  \(spell.name)")
    }
}

extension JudgedWindow {
    fileprivate var json: JSONObject {
        var json = JSONObject()
        json.put("kind", "window")
        json.put("tMs", start.inMilliseconds)
        json.put("activity", judgement.activity.description)
        json.put("confidence", judgement.confidence.description)
        json.put("worn", isWorn)
        return json
    }
}

extension RecordedSleep {
    fileprivate var json: JSONObject {
        var json = JSONObject()
        json.put("kind", "sleep")
        json.put("startMs", start.inMilliseconds)
        json.put("endMs", end.inMilliseconds)
        json.put("asleepMin", asleep.inMinutes)
        return json
    }
}

extension ReplaySummary {
    fileprivate func json(file: String) -> JSONObject {
        var json = JSONObject()
        json.put("kind", "summary")
        json.put("file", file)
        json.put("samples", samples)
        json.put("windows", windows)
        json.put("steps", steps)
        var minutes = JSONObject()
        for (name, value) in time.minutes { minutes.put(name, value) }
        json.put("minutes", minutes)
        if let session {
            json.put("sedentaryMinutes", session.sedentaryMinutes)
            json.put("wakeUps", session.wakeUps)
            json.put("imuOnFraction", session.imuOnFraction)
        }
        return json
    }

    fileprivate var lines: [String] {
        var lines = ["\(counted(samples, "sample")), \(counted(windows, "window")), \(counted(steps, "step"))"]
        let spent = time.minutes.filter { $0.minutes > 0 }.map { "\($0.name) \($0.minutes)" }
        if !spent.isEmpty { lines.append("minutes: " + spent.joined(separator: ", ")) }
        if let session {
            let share = (session.imuOnFraction * 1000).rounded() / 10
            lines.append(
                "sedentary \(session.sedentaryMinutes) min, \(session.wakeUps) wake-ups, sensor on \(share) % of the time"
            )
        }
        return lines
    }
}

extension Interval {
    /// Such as `01:02:03`, without tenths of a second.
    fileprivate var clockText: String {
        let seconds = abs(inSeconds)
        let parts = [seconds / 3600, seconds / 60 % 60, seconds % 60].map { $0 < 10 ? "0\($0)" : "\($0)" }
        return (inSeconds < 0 ? "-" : "") + parts.joined(separator: ":")
    }
}
