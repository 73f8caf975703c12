import Commands
import Domains

extension Page {
    static let sleep = Page(
        domain: .sleep,
        words: [
            .sleepDuration: ("night", "night sleep"), .wakeAt: ("woke", "woke"),
            .asleepMinutes: ("asleep", "sleep with naps"),
        ],
        openMHealth: [ExportPart("ieee-sleep.json") { try $0.sleeps().listing }])
}
