import Domains
import System

extension Journal {
    /// Writes one line about an act, at notice. It has the states before and after if the act is about one domain and
    /// is no deletion.
    public func log(_ act: ConsentAct) {
        let by = act.by.description
        guard let domain = act.domain, act.event != .dataForgotten else {
            log(.notice, act.event, domain: act.domain, act.text, ["BY": by])
            return
        }
        let (from, to) = act.change(of: domain)
        log(.notice, act.event, domain: domain, act.text, ["FROM": from, "TO": to, "BY": by])
    }
}

extension ConsentAct {
    /// The toggle if nothing else changed, otherwise the status.
    fileprivate func change(of domain: Domain) -> (from: String, to: String) {
        if event == .toggleChanged {
            return (switchName(before.toggles.allows(domain)), switchName(after.toggles.allows(domain)))
        }
        return (before.status(of: domain).description, after.status(of: domain).description)
    }

    private func switchName(_ isOn: Bool) -> String { isOn ? "on" : "off" }
}
