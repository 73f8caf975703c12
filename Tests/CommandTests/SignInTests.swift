import Domains
import Foundation
import Store
import Loopback
import Core
import RightClock
import Delivery
import Testing

/// `anicca sign-in`, `sign-out` and `upload` without systemd: what root does with its credentials is proved in the rig.
@Suite struct SignInTests {
    private let user = "2d1a8f5e-8a1b-4f54-9c32-0123456789ab"
    private let token = "a-token-that-nobody-may-see"

    private func signIn(_ device: TestDevice, user: String, token: String) throws -> AniccaProgram.Outcome {
        try AniccaProgram.run(
            ["sign-in", "--user-id", user, "--config", device.configPath], input: Data("\(token)\n".utf8))
    }

    @Test func whoSignsInIsKeptPrivately() throws {
        let (device, _) = try TestDevice.withStore()
        let outcome = try signIn(device, user: user.uppercased(), token: token)
        #expect(outcome.status == 0 && outcome.output == "signed in as \(user)\n")
        #expect(!outcome.messages.contains(token))
        let path = device.path("store/anicca.account")
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "\(user)\n\(token)\n")
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        #expect(FileManager.default.fileExists(atPath: "\(device.wakeFileDirectory)/upload"), "what waits is sent now")
        #expect(try device.anicca("doctor").output.contains("signed in"))
        #expect(try device.anicca("sign-out").output == "signed out\n")
        #expect(!FileManager.default.fileExists(atPath: path))
        #expect(try device.anicca("sign-out").output == "no account was signed in\n")
    }

    @Test func whyTheAccountCannotBeKeptIsSaid() throws {
        let device = try TestDevice()
        try device.makeStore()
        let path = device.path("store/anicca.account")
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        let outcome = try signIn(device, user: user, token: token)
        #expect(outcome.status == 73 && outcome.messages.contains("\(path): Is a directory"))
        #expect(!FileManager.default.fileExists(atPath: "\(path).new"), "the token lies nowhere")
    }

    @Test(arguments: [
        ("x", "t"), ("2d1a8f5e-8a1b-4f54-9c32-0123456789ag", "t"),
        ("2d1a8f5e-8a1b-4f54-9c32-0123456789ab", ""), ("2d1a8f5e-8a1b-4f54-9c32-0123456789ab", "two words"),
        ("2d1a8f5e-8a1b-4f54-9c32-0123456789ab", String(repeating: "x", count: 9000)),
    ])
    func whatCannotBeAnAccountIsRefused(user: String, token: String) throws {
        let device = try TestDevice()
        let outcome = try signIn(device, user: user, token: token)
        #expect(outcome.status == 64)
        #expect(!FileManager.default.fileExists(atPath: device.path("store/anicca.account")))
    }

    @Test func anAccountInTheConfigurationCounts() throws {
        let device = try TestDevice("[account]\nuser-id = \(user)")
        #expect(try signIn(device, user: user, token: token).status == 78)
        #expect(try device.anicca("sign-out").status == 78)
    }

    @Test func whatIsDueIsSentForWhoSignedIn() throws {
        let server = try AnsweringServer("HTTP/1.1 204 No Content\r\n\r\n")
        let (device, ledger) = try TestDevice.withStore("[server]\nbase-url = \(server.address)")
        let nobody = try device.anicca("upload")
        #expect(nobody.status == 0 && nobody.output.contains("not signed in"))
        _ = try signIn(device, user: user, token: token)
        try queueADay(in: ledger)
        let outcome = try device.anicca("upload", "--now")
        #expect(outcome.status == 0 && outcome.output == "1 day and 0 events delivered\n", "\(outcome.messages)")
        let request = server.request()
        #expect(request.contains("Bearer \(token)") && request.contains(user))
        let later = try device.anicca("upload", "--json").json([String: Any].self)
        #expect(later["deliveredDays"] as? Int == 0 && later["end"] as? String == "finished")
    }

    @Test(arguments: [true, false]) func whoMistypedTheUserIDSaysSoAndLosesNothing(atSignIn: Bool) throws {
        let device = try TestDevice("[server]\nbase-url = http://127.0.0.1:1")
        let ledger = try device.makeStore()
        _ = try signIn(device, user: "aaaaaaaa-8a1b-4f54-9c32-0123456789ab", token: token)
        let today = UTCDay(containing: Date.now.wall)
        try ledger.change([.reply(.steps, .agreedWholly(to: .health))], at: (today + -4).start)
        try ledger.commit(
            Batch(
                checkpoint: [], closedDays: [ClosedDay(day: today + -3, figures: [.init(.steps, 9000)])],
                consentRevision: ledger.consent().lastEntry))
        let more = atSignIn ? ["--same-person"] : []
        let outcome = try AniccaProgram.run(
            ["sign-in", "--user-id", user, "--config", device.configPath] + more, input: Data("\(token)\n".utf8))
        #expect(outcome.status == 0)
        if !atSignIn {
            #expect(
                outcome.messages.contains("1 record of the previous account")
                    && outcome.messages.contains("--same-person"))
            #expect(try device.anicca("queue").output.contains("it belongs to another account"))
            #expect(try device.anicca("queue", "retry", "--same-person").status == 0)
        }
        #expect(try !device.anicca("queue").output.contains("it belongs to another account"))
        #expect(try device.anicca("queue", "retry", "--same-person").status == 69, "nothing waits any more")
    }

    @Test func whatIsLeftIsForAnotherRun() throws {
        let (device, ledger) = try TestDevice.withStore("[server]\nbase-url = http://127.0.0.1:1")
        _ = try signIn(device, user: user, token: token)
        try queueADay(in: ledger)
        let outcome = try device.anicca("upload")
        #expect(outcome.status == 75 && outcome.output.contains("no connection"))
        #expect(outcome.messages.contains("1 record left for another run"))
    }

    private func queueADay(in ledger: Ledger) throws {
        let today = UTCDay(containing: Date.now.wall)
        try ledger.change([.reply(.steps, .agreedWholly(to: .health))], at: (today + -4).start)
        try ledger.commit(
            Batch(
                checkpoint: [], closedDays: [ClosedDay(day: today + -3, figures: [.init(.steps, 9000)])],
                consentRevision: ledger.consent().lastEntry))
    }
}

extension Date {
    fileprivate var wall: WallTime { WallTime(nanoseconds: Int64(timeIntervalSince1970) * 1_000_000_000) }
}
