import Commands
import Files
import Program
import Quantities
import Sinks

/// The checks of the server and of the account.
extension Diagnostics {
    var server: CheckResult {
        guard let base = settings.server.baseURL else {
            return CheckResult(
                "server", .warning, "no server is named, so nothing is sent", advice: "set base-url in [server]")
        }
        switch ServerReach(base, settings.server, userAgent: "anicca/\(aniccaVersion)", timeout: .seconds(10)) {
        case .answered(let address, let status):
            return CheckResult("server", .ok, "\(address) answers (\(status))")
        case .unreachable(let problem):
            return CheckResult(
                "server", .failed, problem, advice: "check the network, base-url in [server] and the certificate")
        }
    }

    var account: CheckResult {
        guard settings.account.userID != nil else { return signedOut("[account] user-id is not set") }
        guard let path = settings.account.tokenFile else { return signedOut("[account] token-file is not set") }
        do {
            guard AccessToken(fileContent: try readFile(path, limit: AccessToken.longest, privacy: .secret)) != nil
            else {
                return CheckResult(
                    "account", .failed, "\(path) does not hold one word of visible ASCII", advice: "sign in again")
            }
            return CheckResult("account", .ok, "there is a user id and a token")
        } catch .absent {
            return signedOut("there is no \(path)")
        } catch {
            return CheckResult("account", error: "the token file \(error)", adviceAfter: "; ")
        }
    }

    private func signedOut(_ missing: String) -> CheckResult {
        CheckResult(
            "account", .warning, "not signed in: \(missing)",
            advice: "nothing is sent until then, and nothing is lost for "
                + counted(Int(settings.delivery.keepUndelivered.inMinutes / 1440), "day"))
    }
}
