import Commands
import System

/// The result of one check of `anicca doctor`.
struct CheckResult {
    enum State: String {
        case ok
        /// It works, but not completely or not for long.
        case warning
        case failed
        /// The check does not apply.
        case skipped
    }

    let check: String
    let state: State
    let found: String
    /// The advice; empty if no action is needed.
    let advice: String

    init(_ check: String, _ state: State, _ found: String, advice: String = "") {
        self.check = check
        self.state = state
        self.found = found
        self.advice = advice
    }

    /// A failure from a message that names the fault and, after the last `separator`, the advice.
    init(_ check: String, _ state: State = .failed, error message: String, adviceAfter separator: String) {
        let words = Array(message)
        let mark = Array(separator)
        let start = words.indices.last { words[$0...].starts(with: mark) }
        self.init(
            check, state, String(words[..<(start ?? words.endIndex)]),
            advice: start.map { String(words[($0 + mark.count)...]) } ?? "")
    }
}

extension CheckResult {
    var json: JSONObject {
        JSONObject(("check", check), ("state", state.rawValue), ("found", found), ("advice", advice))
    }

    /// The result on one line, with the advice on a second one, if any.
    func lines(_ style: TextStyle) -> [String] {
        let mark = style.paint(pad(state.rawValue, to: 8), state.colour)
        let first = "\(mark) \(pad(check, to: 15)) \(found)"
        return advice.isEmpty ? [first] : [first, pad("", to: 25) + "→ \(advice)"]
    }
}

extension CheckResult.State {
    fileprivate var colour: TextStyle.Colour {
        switch self {
        case .ok: .green
        case .warning: .yellow
        case .failed: .red
        case .skipped: .faint
        }
    }
}
