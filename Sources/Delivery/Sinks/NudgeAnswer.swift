import Domains
import System

/// Finds the nudge in an answer to an event (SPEC §6): `{"nudge":{"strength":"light"|"strong","message":"…"}}`. Other
/// members are skipped. An answer that is not JSON, or deeply nested, has no nudge.
enum NudgeAnswer {
    /// The longest answer in bytes that is searched for a nudge.
    static let longest = 8 * 1024
    private static let deepest = 15

    static func nudge(in bytes: [UInt8]) -> Nudge? {
        guard let answer = members(of: bytes) else { return nil }
        var found: Nudge?
        for case ("nudge", .object(let nudge)) in answer.all { found = Nudge(nudge) }
        return found
    }

    /// Whether an answer on a topic, where others may publish too, is to the event with this key.
    static func isAnswer(_ bytes: [UInt8], to key: String) -> Bool {
        guard let answer = members(of: bytes) else { return false }
        return answer.all.contains { if case ("key", .string(key)) = $0 { true } else { false } }
    }

    private static func members(of bytes: [UInt8]) -> JSONMembers? {
        bytes.count <= longest ? JSONMembers(bytes, deepest: deepest, escapes: .decoded) : nil
    }
}

extension Nudge {
    /// Of duplicate members, the last ones count.
    fileprivate init?(_ members: JSONMembers) {
        var (strength, message): (Strength?, String?) = (nil, nil)
        for case (let name, .string(let text)) in members.all {
            switch name {
            case "strength": strength = Strength(text)
            case "message": message = text
            default: continue
            }
        }
        guard let strength, let message else { return nil }
        self.init(strength, message: message)
    }
}
