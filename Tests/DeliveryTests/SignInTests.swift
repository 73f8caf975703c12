import System
import Foundation
import Testing

@testable import Delivery

struct SignInTests {
    let bench: Bench

    init() throws {
        bench = try Bench()
        try bench.signIn(to: "https://api.example.org")
    }

    func missing() throws -> String? {
        guard case .signedOut(let missing) = try SignIn(SinkContext(bench.settings, userAgent: "test")) else {
            return nil
        }
        return missing
    }

    /// The reason why the settings are unusable; nil when they are usable.
    func refusal() -> SinkUnusable? {
        do {
            _ = try SignIn(SinkContext(bench.settings, userAgent: "test"))
            return nil
        } catch {
            return error
        }
    }

    @Test func withEverythingThereSomebodyIsSignedIn() throws { #expect(try missing() == nil) }

    @Test func eachMissingPartIsNamed() throws {
        let whole = bench.settings
        bench.settings.account.userID = nil
        #expect(try missing() == "the setting account.user-id")
        bench.settings = whole
        bench.settings.account.tokenFile = nil
        #expect(try missing() == "the setting account.token-file")
        bench.settings = whole
        bench.settings.server.baseURL = nil
        #expect(try missing() == "the setting server.base-url")
        bench.settings = whole
        bench.settings.account.tokenFile = "/nonexistent/token"
        #expect(try missing() == "the token file /nonexistent/token")
    }

    @Test(arguments: ["", "\n", "two words", "a\r\nX-Other: header", "tökén", "a\0b"])
    func aTokenThatIsNotOneWordIsNotSent(text: String) throws {
        try bench.signIn(to: "https://api.example.org", token: text)
        let error = try #require(refusal())
        #expect(error.exitCode == .configuration)
    }
}
