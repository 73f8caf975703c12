import ArgumentParser
import Foundation

/// `anicca-receiver policy`
struct Policy: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Check a policy of nudges, or try it on the events of a day.",
        subcommands: [Check.self, Try.self])

    /// The file of a policy.
    struct File: ParsableArguments {
        @Argument(help: "The policy, a file in JSON; - for standard input.")
        var file: String

        init() {}

        init(_ file: String) { self.file = file }

        func read() throws -> NudgePolicy {
            do {
                let data =
                    file == "-"
                    ? try FileHandle.standardInput.readToEnd() ?? Data() : try Data(contentsOf: URL(filePath: file))
                return try NudgePolicy(data)
            } catch let stop as Stop {
                throw stop
            } catch {
                throw Stop(.badInput, "\(file) cannot be read: \(error.localizedDescription)")
            }
        }
    }

    /// `anicca-receiver policy check`
    struct Check: ParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Check a policy, and print its rules.")

        @OptionGroup var policy: File

        func run() throws {
            for rule in try orStop({ try policy.read() }).rules {
                let threshold = rule.threshold.map { " of \($0) minutes" } ?? ""
                let people = rule.participants.map { "for \($0.joined(separator: ", "))" } ?? "for everybody"
                print(
                    "\(rule.name): \(rule.strength), at \(rule.event)\(threshold), at most \(rule.mostADay) a day, \(people), "
                        + "in \(rule.texts.keys.sorted().joined(separator: ", "))")
            }
        }
    }

    /// `anicca-receiver policy try`
    struct Try: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Print who would have been nudged at the events of a day, and when.",
            discussion: """
                A line for each event, with the time in the participant's time zone; the other events have the reason. \
                Nobody is nudged by it. Of PostgreSQL only.

                Example:
                  anicca-receiver policy try policy.json --date 2026-11-28
                """)

        @OptionGroup var store: StoreOptions
        @OptionGroup var policy: File

        @Option(help: "The day, in UTC; else yesterday.")
        var date: String?

        func validate() throws {
            guard date.map(CivilTime.isDate) ?? true else { throw ValidationError("date must be YYYY-MM-DD") }
        }

        func run() throws {
            try orStop {
                let policy = try policy.read()
                let yesterday = String(Date.now.addingTimeInterval(-86_400).ISO8601Format().prefix(10))
                var given: [String: [String: Int]] = [:]
                for received in try store.openStudy().events(of: date ?? yesterday) {
                    let clock = Self.clock(received.arrival, in: policy.zone(of: received.recipient))
                    // Of a day of the participant.
                    let day = "\(received.account) \(clock.prefix(10))"
                    let outcome = policy.decide(
                        received.event, for: received.recipient, at: received.arrival, given: given[day, default: [:]])
                    let told: String
                    switch outcome {
                    case .success(let nudge):
                        given[day, default: [:]][nudge.rule, default: 0] += 1
                        told = "\(nudge.rule), \(nudge.strength): \(nudge.message)"
                    case .failure(let reason): told = "none: \(reason.rawValue)"
                    }
                    print("\(clock)  \(received.recipient.name ?? received.account)  \(received.event.type)  \(told)")
                }
            }
        }

        private static func clock(_ time: Date, in zone: TimeZone) -> String {
            let style = Date.ISO8601FormatStyle(dateTimeSeparator: .space, timeZone: zone)
            return String(time.formatted(style.year().month().day().time(includingFractionalSeconds: false)).prefix(16))
        }
    }
}
