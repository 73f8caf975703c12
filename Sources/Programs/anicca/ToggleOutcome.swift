import Commands
import Domains
import System
import Store
import Sensing
import Core

/// The outcome of turning a toggle.
struct ToggleOutcome {
    let domain: Domain
    let result: TurnOutcome
    let isOn: Bool
    let status: PermissionStatus
    /// When the toggle was last turned; nil if never.
    let since: WallTime?
    private let isSuspended: Bool
    /// The domains that it needs and that are not collected, while it is on.
    private let awaited: [Domain]
    /// The device used to collect the domain.
    private let device: String

    init(_ domain: Domain, _ result: TurnOutcome, _ consent: ConsentSnapshot, device: String) {
        self.domain = domain
        self.result = result
        self.device = device
        isOn = consent.state.toggles.allows(domain)
        status = consent.state.status(of: domain)
        since = consent.toggledAt(domain)
        isSuspended = consent.state.isSuspended(domain)
        awaited = consent.state.awaited(by: domain)
    }

    private var position: String { isOn ? "on" : "off" }

    /// For people: one line for a success, otherwise also the advice.
    var text: String {
        switch result {
        case .changed(let note):
            let consequence = isOn ? "the \(device) \(domain.words.whenOn)" : domain.words.whenOff
            let remark = note.map { "\nbut at the moment: \(escapingControls($0)); the daemon tries again" } ?? ""
            return "\(domain) is \(position) now: \(consequence)\(remark)\(wait)"
        case .already:
            var remark = isOn && !domain.isCollected ? "; \(PermissionReport.notCollected)" : ""
            if isSuspended { remark = "\nbut it is suspended: its device is missing; \(whySuspended)" }
            return "\(domain) is \(position) already" + (since.map { ", since \($0)" } ?? "") + remark + wait
        case .declined: return "\(domain) stays off: you said no, which is stored; \(advice ?? "")"
        case .leftOpen: return "\(domain) stays off: the question was left open, and nothing is stored"
        case .cannotAsk:
            return "\(domain) stays off: the wearer has not agreed yet, and there is no terminal for the question\n"
                + (advice ?? "")
        case .refused(let status, let reason, let advice):
            return escapingControls("\(domain) stays off, \(status): \(reason)") + "\n" + escapingControls(advice)
        }
    }

    private var wait: String {
        awaited.isEmpty
            ? "" : "\nbut it waits for \(listed(awaited.map(\.description))), without which it is not collected"
    }

    /// The failure if the toggle was not turned; nil if it was.
    var failure: Failure? {
        switch result {
        case .changed, .already: nil
        case .declined: Failure(text, .noPermission)
        case .leftOpen, .cannotAsk: Failure(text, .consentNeeded)
        case .refused(let status, _, _): Failure(text, status == .unsupported ? .unavailable : .noPermission)
        }
    }

    private var advice: String? {
        switch result {
        case .changed, .already, .leftOpen: nil
        case .declined: "to be asked again: \(aniccaCommand("permissions reset \(domain.permission)"))"
        case .cannotAsk(let permission): howToAnswer([(permission, domain)])
        case .refused(_, _, let advice): completed(advice)
        }
    }
}

/// The command that shows the reason of a suspension.
var whySuspended: String { "\(aniccaCommand("permissions")) says why" }

/// The advice if a withdrawal could not be stored.
let howToStopAtOnce = "domains that are on stay on; to stop all collection at once, run: systemctl stop aniccad"

/// The advice if there is no terminal to ask on.
///
/// - Parameter open: the unanswered permissions, each with a domain that needs it.
func howToAnswer(_ open: [(permission: Permission, domain: Domain)]) -> String {
    let commands = open.map { aniccaCommand("toggle \($0.domain) on --agree") }.joined(separator: ", ")
    let names = open.map(\.permission.description).joined(separator: " ")
    return "on a terminal you are asked; else agree with \(commands); "
        + "for a bench device set granted = \(names) in [consent]"
}

extension ToggleOutcome {
    var json: JSONObject {
        var (isChanged, note, reason): (Bool, String?, String?) = (false, nil, nil)
        switch result {
        case .changed(let text): (isChanged, note) = (true, text)
        case .already, .declined, .leftOpen, .cannotAsk: break
        case .refused(_, let text, _): reason = text
        }
        return JSONObject(
            ("domain", domain), ("on", isOn), ("changed", isChanged), ("status", status.description),
            ("suspended", isSuspended ? true : nil),
            ("waitsFor", awaited.isEmpty ? nil : awaited), ("since", since), ("note", note), ("reason", reason),
            ("advice", advice))
    }
}
