import Commands
import Config
import Core
import Delivery
import Glibc
import System

/// Signs in by a code that the study approves (RFC 8628).
struct SignInByCode {
    private let client: TokenClient
    private static let qrencode = "/usr/bin/qrencode"

    /// Nil without a server in the settings.
    init?(_ settings: Settings) throws(Failure) {
        do {
            guard let client = try TokenClient(settings, userAgent: "anicca/\(aniccaVersion)") else { return nil }
            self.client = client
        } catch {
            throw Failure(error.description, error.exitCode)
        }
    }

    /// The account, once the code is approved; nil if the server gives no code.
    func account() throws(Failure) -> AccountFile? {
        let code: TokenClient.Code
        do throws(TokenClient.Refusal) {
            code = try client.newCode()
        } catch {
            tell("no code to sign in with: \(error.text)")
            return nil
        }
        show(code)
        do throws(TokenClient.Refusal) {
            return try wait(for: code)
        } catch .error(let error) where error == "access_denied" {
            throw Failure("the code was refused", .unavailable)
        } catch .error(let error) where error == "expired_token" {
            throw Failure("the code was not approved in time; run this again for a new one", .unavailable)
        } catch {
            throw Failure(error.text, .unavailable)
        }
    }

    /// The account of an enrolment, whose code was approved beforehand.
    func account(ofEnrolment code: Secret) throws(Failure) -> AccountFile {
        do throws(TokenClient.Refusal) {
            return try client.account(ofEnrolment: code, at: Instant.now.wall)
        } catch .error(let error) {
            throw Failure("the server does not accept the code (\(error)); it was used, or is too old", .usage)
        } catch {
            throw Failure(error.text, .unavailable)
        }
    }

    private func show(_ code: TokenClient.Code) {
        let lines = ["Give this code to the people who run your study (\(code.address)):", "", "    \(code.text)", ""]
        for line in lines { tell(line) }
        if isatty(STDERR_FILENO) == 1, access(SignInByCode.qrencode, X_OK) == 0,
            let drawing = try? ChildProcess(
                SignInByCode.qrencode, ["--type=UTF8", "--margin=2", "--", code.completeAddress])
        {
            while let line = drawing.readLine() { tell(line) }
        }
        tell("It waits for \(code.lifetime.inMinutes) minutes for their approval. Ctrl-C ends it.")
    }

    private func wait(for code: TokenClient.Code) throws(TokenClient.Refusal) -> AccountFile {
        let end = Instant.now.boot + code.lifetime
        var pause = code.interval
        while Instant.now.boot < end {
            sleep(UInt32(pause.inMilliseconds / 1000))
            do throws(TokenClient.Refusal) {
                return try client.account(of: code, at: Instant.now.wall)
            } catch .error(let error) where error == "authorization_pending" {
                continue
            } catch .error(let error) where error == "slow_down" {
                pause = pause + .seconds(5)
            } catch .failed(let problem) {
                // The network or the server may return (RFC 8628 §3.5).
                tell("\(problem); trying again")
                pause = min(pause + pause, .minutes(1))
            }
        }
        throw .error("expired_token")
    }
}
