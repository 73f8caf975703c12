import Domains
import System
import Store
import Core

/// The changes of consent by one person or cause at one moment: successive entries of the trail with the same time and
/// actor, such as an answer and the toggles that it turned off. One act is one line of the log.
///
/// Obstacles by the kernel make one act for each domain, so that the log has a line for each.
public struct ConsentAct: Equatable, Sendable {
    /// Never empty.
    public let entries: [ConsentEntry]
    /// The states before and after.
    let before: ConsentState
    let after: ConsentState
    /// The known losses behind the obstacles among the entries.
    let losses: [DeviceLoss]

    public var at: WallTime { entries[0].at }
    public var by: ConsentActor { entries[0].by }

    /// Groups entries, oldest first, into acts. `state` is the state before the first entry, by default that of an
    /// empty trail. `losses` are the known losses behind obstacles among the entries.
    public static func acts(
        in entries: [ConsentEntry], following state: ConsentState = ConsentState(), because losses: [DeviceLoss] = []
    ) -> [ConsentAct] {
        var acts: [ConsentAct] = []
        var state = state
        var start = 0
        for end in 1..<(entries.count + 1) {
            if end < entries.count, entries[end].belongs(to: entries[start..<end]) { continue }
            let part = Array(entries[start..<end])
            let before = state
            for entry in part { state.apply(entry.change, by: entry.by) }
            acts.append(ConsentAct(entries: part, before: before, after: state, losses: losses))
            start = end
        }
        return acts
    }

    /// The domain concerned; nil unless it is exactly one.
    public var domain: Domain? {
        var touched = domains
        if touched.isEmpty { for permission in permissions { touched += permission.domains } }
        return touched.count == 1 ? touched[0] : nil
    }

    public var event: JournalEvent {
        var event = JournalEvent.toggleChanged
        for entry in entries {
            switch entry.change {
            case .forgotten: return .dataForgotten
            case .answer, .obstacle: event = .permissionChanged
            case .toggle, .part, .unknown: break
            }
        }
        return event
    }

    /// The domains that the entries name, each once.
    var domains: [Domain] {
        var domains: [Domain] = []
        for entry in entries {
            if let domain = entry.domain, !domains.contains(domain) { domains.append(domain) }
        }
        return domains
    }

    private var permissions: [Permission] {
        entries.compactMap { entry in
            if case .answer(let permission, _, _) = entry.change { permission } else { nil }
        }
    }
}

extension ConsentEntry {
    /// An answer and an obstacle are separate acts, although one reading of the config can bring both.
    fileprivate func belongs(to act: ArraySlice<ConsentEntry>) -> Bool {
        guard let first = act.first, at == first.at, by == first.by else { return false }
        if by == .kernel, domain != first.domain { return false }
        return !act.contains { $0.isAnswer && isObstacle || $0.isObstacle && isAnswer }
    }

    /// Nil for an answer, which concerns a permission, and for a change of a part or an unknown change.
    fileprivate var domain: Domain? {
        switch change {
        case .toggle(let domain, _, _), .obstacle(let domain, _, _), .forgotten(let domain): domain
        case .answer, .part, .unknown: nil
        }
    }

    private var isAnswer: Bool {
        if case .answer = change { true } else { false }
    }

    private var isObstacle: Bool {
        if case .obstacle = change { true } else { false }
    }
}
