import Delivery
import Files
import Program
import Quantities

/// Where records go, and as whom.
extension Examination {
    var server: Finding {
        guard let base = settings.server.baseURL else {
            return Finding(
                "server", .warning, "no server is named, so nothing is sent", advice: "set base-url in [server]")
        }
        switch ServerReach(base, settings.server, userAgent: "anicca/\(aniccaVersion)", timeout: .seconds(10)) {
        case .answered(let address, let status):
            return Finding("server", .ok, "\(address) answers (\(status))")
        case .unreachable(let problem):
            return Finding(
                "server", .failed, problem, advice: "check the network, base-url in [server] and the certificate")
        }
    }

    var account: Finding {
        guard settings.account.userID != nil else { return signedOut("[account] user-id is not set") }
        guard let path = settings.account.tokenFile else { return signedOut("[account] token-file is not set") }
        do {
            guard AccessToken(fileContent: try readFile(path, limit: AccessToken.longest, privacy: .secret)) != nil
            else {
                return Finding(
                    "account", .failed, "\(path) does not hold one word of visible ASCII", advice: "sign in again")
            }
            return Finding("account", .ok, "there is a user id and a token")
        } catch .absent {
            return signedOut("there is no \(path)")
        } catch {
            return Finding("account", error: "the token file \(error)", adviceAfter: "; ")
        }
    }

    private func signedOut(_ missing: String) -> Finding {
        Finding(
            "account", .warning, "not signed in: \(missing)",
            advice: "nothing is sent until then, and nothing is lost for 7 days")
    }
}
