import Commands
import Domains

extension Page {
    static let sleep = Page(
        domain: .sleep,
        words: [
            .sleepDuration: ("sleep", "sleep"), .wakeAt: ("woke", "woke"), .asleepMinutes: ("asleep", "asleep"),
        ],
        openMHealth: [ExportPart("ieee-sleep.json") { try $0.sleeps().listing }])
}
