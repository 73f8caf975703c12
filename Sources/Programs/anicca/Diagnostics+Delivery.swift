import Commands
import System
import Core
import Delivery

/// The checks of the server, of the account and of the broker.
extension Diagnostics {
    /// The checks of the configured receivers; without any, of the missing configuration.
    var delivery: [CheckResult] {
        let hasBroker = settings.mqtt.broker != nil
        let ofServer = settings.server.baseURL != nil || !hasBroker ? [server, account] : []
        return ofServer + (hasBroker ? [broker] : [])
    }

    private var broker: CheckResult {
        switch BrokerReach(settings.mqtt, timeout: .seconds(10)) {
        case .answered(let address): CheckResult("broker", .ok, "\(address) takes the login")
        case .waits(let missing):
            CheckResult(
                "broker", .warning, "there is no \(missing)", advice: "no message is published until it exists")
        case .unreachable(let problem):
            CheckResult(
                "broker", .failed, problem, advice: "check the network, broker in [mqtt] and the certificates")
        case .refused(let problem):
            CheckResult(
                "broker", .failed, problem,
                advice:
                    "correct user, password-file or client-certificate in [mqtt], or the broker's ACL; its log tells more"
            )
        }
    }

    private var server: CheckResult {
        guard let base = settings.server.baseURL else {
            return CheckResult(
                "server", .warning, "no server is configured, so no data is sent", advice: "set base-url in [server]")
        }
        switch ServerReach(base, settings.server, userAgent: "anicca/\(aniccaVersion)", timeout: .seconds(10)) {
        case .answered(let address, let status):
            if let refusal = refusedAddress { return refusal }
            return CheckResult("server", .ok, "\(address) answers (\(status))")
        case .unreachable(let problem):
            return CheckResult(
                "server", .failed, problem, advice: "check the network, base-url in [server] and the certificate")
        }
    }

    /// An answer does not prove that the server is the right one; the answers to deliveries do. Nil without evidence
    /// against it, and if the store cannot be read, which another check reports.
    private var refusedAddress: CheckResult? {
        // `try?`: the check of the store reports why it cannot be read.
        guard let sinks = try? installation.openStore().deliveryStatus().sinks,
            let sink = sinks.first(where: { $0.sink == SinkKind.https.id })
        else { return nil }
        let holds = [sink.log.hold].compactMap { $0 } + sink.log.kindHolds.values
        let reasons: Set<HoldReason> = [.wrongAddress, .noReceipt, .refuses]
        guard holds.contains(where: { reasons.contains($0.reason) }) else { return nil }
        return CheckResult(
            "server", .failed, "it answers, but not as an Anicca server: \(sink.log.lastError ?? "")",
            advice:
                "correct base-url in [server], or the server; then run: sudo \(aniccaCommand("queue retry"))"
        )
    }

    private var account: CheckResult {
        if settings.account.isUnset { return keptAccount }
        guard settings.account.userID != nil else { return signedOut("[account] user-id is not set") }
        guard let path = settings.account.tokenFile else { return signedOut("[account] token-file is not set") }
        do {
            guard
                Secret(.token, fileContent: try readFile(path, limit: Secret.Kind.token.longest, privacy: .secret))
                    != nil
            else {
                return CheckResult(
                    "account", .failed, "\(path) does not hold one word of visible ASCII", advice: "sign in again")
            }
            return CheckResult("account", .ok, "user id and token are set")
        } catch .absent {
            return signedOut("there is no \(path)")
        } catch {
            return CheckResult("account", error: "the token file \(error)", adviceAfter: "; ")
        }
    }

    /// The account of `anicca sign-in`.
    private var keptAccount: CheckResult {
        switch installation.account {
        case .success: return CheckResult("account", .ok, "signed in, with a systemd credential")
        case .failure(let shut): return CheckResult("account", error: shut.message, adviceAfter: "; run: ")
        case nil: break
        }
        do {
            guard try AccountFile.read(settings) != nil else {
                return signedOut("no account; run: sudo \(aniccaCommand("sign-in"))")
            }
            return CheckResult("account", .ok, "signed in")
        } catch {
            return CheckResult("account", .failed, error.description, advice: "sudo \(aniccaCommand("sign-in"))")
        }
    }

    private func signedOut(_ missing: String) -> CheckResult {
        CheckResult(
            "account", .warning, "not signed in: \(missing)",
            advice: "no data is sent before sign-in; unsent data is kept for "
                + counted(Int(settings.delivery.keepUndelivered.inMinutes / 1440), "day"))
    }
}
