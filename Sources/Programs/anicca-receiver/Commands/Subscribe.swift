import ArgumentParser
import Foundation

/// `anicca-receiver subscribe`
struct Subscribe: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Answer the events at an MQTT broker with nudges.",
        discussion: """
            Subscribes to the events of all devices, decides by the policy, and publishes each answer at …/answer of the \
            device. The participant is the one with the name that the device has in the topic. Nothing but the nudges \
            is kept, in PostgreSQL. Several of these processes may run: an event gets one nudge. Logs as serve does.

            SIGTERM ends it with 0. Exit status: 69 if the broker cannot be reached at the start, refuses, or ends the \
            session; afterwards a lost connection is made again.
            """)

    @OptionGroup var store: StoreOptions

    @Option(help: "The policy of nudges (anicca-receiver policy check); empty for none.")
    var policy = ""

    @Option(help: "The broker: mqtts://host, mqtts://host:port, or mqtt:// to this machine.")
    var broker: BrokerURL

    @Option(help: "The user name at the broker; empty for none.")
    var user = ""

    @Option(help: "The file with the password; empty for none.")
    var passwordFile = ""

    @Option(help: "The PEM file of the broker's own authority; empty for those of the system.")
    var caFile = ""

    @Option(help: "The beginning of every topic.")
    var topic = "anicca"

    func validate() throws {
        // As [mqtt] topic of a device.
        guard (1...64).contains(topic.utf8.count), topic.wholeMatch(of: /[A-Za-z0-9_\/-]+/) != nil else {
            throw ValidationError("topic must be the beginning of a topic, such as anicca")
        }
    }

    func run() async throws {
        let log = ServiceLog()
        let desk = try orStop { try self.desk() }
        let events = try orStop { try connection(log) }
        let stopping = try StopSignals()
        Task {
            await stopping.wait()
            Glibc.exit(0)
        }
        events.start()
        for await message in events.messages {
            do throws(Endpoint.Refusal) {
                let event = try PublishedEvent(message)
                let nudge = await nudge(at: event, desk, log)
                events.publish(event.answer(nudge), to: "\(topic)/\(event.device)/answer")
            } catch {
                log.note("info", "refused", ["reason": .string(error.description)])
            }
        }
        events.failure.end()
    }

    private func desk() throws -> NudgeDesk {
        let policy = try policy.isEmpty ? .none : Policy.File(self.policy).read()
        // The first use is not the moment to find that the tables are of another version.
        _ = try store.openStudy()
        return NudgeDesk(policy: policy, lane: StoreLane(store.database, number: 1))
    }

    private func connection(_ log: ServiceLog) throws -> EventBroker {
        var password: String?
        if !passwordFile.isEmpty {
            do {
                let text = try String(contentsOfFile: passwordFile, encoding: .utf8)
                password = text.trimmingCharacters(in: .newlines)
            } catch {
                throw Stop(.badInput, "\(passwordFile) cannot be read: \(error.localizedDescription)")
            }
        }
        let login = EventBroker.Login(
            user: user.isEmpty ? nil : user, password: password, caFile: caFile.isEmpty ? nil : caFile)
        return try EventBroker(broker, login, topic: topic, log: log)
    }

    private func nudge(at event: PublishedEvent, _ desk: NudgeDesk, _ log: ServiceLog) async -> Nudge? {
        do {
            return try await desk.nudge(at: event)
        } catch {
            log.noteFailure(error)
            return nil
        }
    }
}

/// The address of `--broker`.
struct BrokerURL: ExpressibleByArgument, CustomStringConvertible {
    let host: String
    let port: Int
    let isEncrypted: Bool

    init?(argument: String) {
        guard let parts = URLComponents(string: argument), let scheme = parts.scheme, let host = parts.host,
            !host.isEmpty, parts.user == nil, parts.path.isEmpty, parts.query == nil,
            ["mqtts", "mqtt"].contains(scheme)
        else { return nil }
        self.host = host.trimmingCharacters(in: ["[", "]"])
        isEncrypted = scheme == "mqtts"
        port = parts.port ?? (isEncrypted ? 8883 : 1883)
        guard (1...65_535).contains(port),
            isEncrypted || ["localhost", "::1"].contains(self.host) || self.host.hasPrefix("127.")
        else { return nil }
    }

    var description: String {
        let host = host.contains(":") ? "[\(host)]" : host
        return "\(isEncrypted ? "mqtts" : "mqtt")://\(host):\(port)"
    }
}
