import ArgumentParser
import Commands
import Config
import Domains
import Glibc
import System
import Core
import Simulation

/// `anicca-lab cohort`
struct Cohort: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Simulate some days of many devices in virtual time, and deliver them to a server.",
        discussion: """
            Each line ACCOUNT DEVICE TOKEN of --accounts is a device with its own wearer, store, key and consent. One \
            after another, the devices live the same days through the real drivers, session, store and uploader. They \
            deliver to --server, which must be a server for tests: it stores the data.

            Standard output has a line of JSON for each record that the server acknowledged (sent), for the truth about \
            each day (day) and for each device at its end (device).

            Example:
              anicca-receiver enroll --database URL <devices |
              anicca-lab cohort --server https://127.0.0.1:8443 --accounts /dev/stdin
            """)

    @Option(help: ArgumentHelp("The address of the server, as [server] base-url.", valueName: "url"))
    var server: String

    @Option(help: ArgumentHelp("The output of anicca-receiver enroll.", valueName: "file"))
    var accounts: String

    @Option(help: ArgumentHelp("How many days to live, 1 to 60.", valueName: "n"))
    var days = 7

    @Option(help: ArgumentHelp("The first day of the lives.", valueName: "date"))
    var from = DemoWorld.firstDay

    @Option(help: "The seed of the first device; each next device has the next seed.")
    var seed: UInt64 = 1

    func validate() throws {
        guard (1...60).contains(days) else { throw ValidationError("--days takes a number from 1 to 60.") }
    }

    func run() throws {
        for (index, account) in try CohortAccount.read(accounts).enumerated() {
            let life = WearerLife(firstDay: from, days: days + 1, seed: seed + UInt64(index))
            do {
                let device = try CohortDevice(account, index: index, server: server)
                try device.live(life, days: days)
                report(device, account, life)
            } catch {
                throw Failure("\(account.device): \(error)", .software)
            }
        }
    }

    private func report(_ device: CohortDevice, _ account: CohortAccount, _ life: WearerLife) {
        for record in device.records {
            var json = JSONObject()
            json.put("kind", "sent")
            json.put("account", account.userID)
            json.put("key", record.key)
            json.put("message", record.message)
            print(json.description)
        }
        for truth in life.truth.prefix(days) {
            var json = JSONObject()
            json.put("kind", "day")
            json.put("account", account.userID)
            json.put("date", truth.day.description)
            json.put("steps", truth.steps)
            if device.domains.contains(.motion) {
                json.put("sedentaryMinutes", truth.sedentaryMinutes)
                json.put("longSittings", truth.longSittings.count)
            }
            if device.domains.contains(.screenTime) { json.put("snsMinutesTotal", DemoPhone.minutesADay) }
            print(json.description)
        }
        var json = JSONObject()
        json.put("kind", "device")
        json.put("account", account.userID)
        json.put("device", account.device)
        json.put("waiting", device.waiting)
        print(json.description)
        fflush(nil)
    }
}
