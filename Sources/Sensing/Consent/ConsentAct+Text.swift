import Domains

extension ConsentAct {
    /// One plain sentence, such as `motion is off: refused by the kernel (/dev/i2c-1: permission denied)`.
    public var text: String {
        let what = listed(result, ", ")
        let why = listed(causes, "; ")
        if what.isEmpty { return why }
        return why.isEmpty ? "\(what): turned by the \(by)" : "\(what): \(why)"
    }

    /// The resulting states of the domains.
    private var result: [String] {
        var on: [Domain] = []
        var off: [Domain] = []
        var blocked: [Domain] = []
        var suspended: [Domain] = []
        var freed: [Domain] = []
        var resumed: [Domain] = []
        var parts: [String] = []
        for entry in entries {
            switch entry.change {
            case .toggle(let domain, _, let isOn): if isOn { on.append(domain) } else { off.append(domain) }
            case .obstacle(let domain, _, .some):
                if after.isSuspended(domain) { suspended.append(domain) } else { blocked.append(domain) }
            case .obstacle(let domain, _, nil):
                if before.isSuspended(domain), after.toggles.allows(domain) {
                    resumed.append(domain)
                } else {
                    freed.append(domain)
                }
            case .part(let part, let domain, _, let isOn):
                parts.append("\(domain.nameOfPart(part) ?? "a part of \(domain)") are \(isOn ? "on" : "off")")
            case .answer, .forgotten, .unknown: break
            }
        }
        var result: [String] = []
        if on.isEmpty && off.isEmpty {
            if !blocked.isEmpty { result.append("\(names(blocked)) \(blocked.count == 1 ? "is" : "are") blocked") }
            if !freed.isEmpty { result.append("\(names(freed)) \(freed.count == 1 ? "is" : "are") no longer blocked") }
        }
        if !suspended.isEmpty { result.append("\(names(suspended)) \(suspended.count == 1 ? "is" : "are") suspended") }
        if !resumed.isEmpty { result.append("\(names(resumed)) \(resumed.count == 1 ? "resumes" : "resume")") }
        if !on.isEmpty { result.append("\(names(on)) \(on.count == 1 ? "is" : "are") on") }
        if !off.isEmpty { result.append("\(names(off)) \(off.count == 1 ? "is" : "are") off") }
        return result + parts
    }

    /// The causes, each once.
    private var causes: [String] {
        var causes: [String] = []
        if !forgotten.isEmpty {
            causes.append("all data of \(names(forgotten)) is deleted at the request of the \(by)")
        }
        for entry in entries {
            guard let cause = cause(entry.change), !causes.contains(cause) else { continue }
            causes.append(cause)
        }
        return causes
    }

    private var forgotten: [Domain] {
        entries.compactMap { entry in
            if case .forgotten(let domain) = entry.change { domain } else { nil }
        }
    }

    private func cause(_ change: ConsentChange) -> String? {
        switch change {
        case .toggle, .part: return nil
        case .answer(let permission, let before, let answer): return text(of: answer, to: permission, after: before)
        case .obstacle(let domain, _, let obstacle?):
            for loss in losses where loss.domain == domain && loss.obstacle == obstacle {
                return "\(obstacle) (\(loss.reason))"
            }
            return obstacle.description
        case .obstacle(_, let before?, nil): return "was \(before)"
        case .obstacle(_, nil, nil), .forgotten, .unknown: return nil
        }
    }

    private func text(of answer: Answer, to permission: Permission, after before: Answer) -> String {
        switch (by, answer) {
        case (.administrator, .agreed(let scope, _)): "the config grants \(permission) (\(scope))"
        case (.administrator, _): "the config no longer grants \(permission)"
        case (_, .agreed(let scope, _)) where before.agreement.isStrictSuperset(of: scope):
            "the \(by) agrees to no more than \(scope)"
        case (_, .agreed(let scope, _)): "the \(by) agreed to \(scope)"
        case (_, .declined) where before == .notAsked: "the \(by) declined \(permission)"
        case (_, .declined): "the \(by) withdrew \(permission)"
        case (_, .notAsked): "the \(by) may be asked about \(permission) again"
        }
    }

    private func names(_ domains: [Domain]) -> String { listed(domains.map(\.description), " and ") }
}

/// Not `joined(separator:)`, which makes the runtime read every conformance in the program into memory.
private func listed(_ parts: [String], _ separator: String) -> String {
    var text = ""
    for part in parts { text += text.isEmpty ? part : separator + part }
    return text
}
