import Domains
import Core

/// A change is stored as its kind, its subject, and the states before and after. Never reuse a kind.
extension ConsentChange {
    private static let toggleKind: UInt8 = 1
    private static let answerKind: UInt8 = 2
    private static let obstacleKind: UInt8 = 3
    private static let forgottenKind: UInt8 = 4
    private static let partKind: UInt8 = 5

    func pack(into packer: inout Packer) {
        switch self {
        case .toggle(let domain, let from, let to):
            packer.put([Self.toggleKind, domain.id, from ? 1 : 0, to ? 1 : 0])
        case .answer(let permission, let from, let to):
            packer.put([Self.answerKind, permission.id])
            for answer in [from, to] { packer.put(answer) }
        case .obstacle(let domain, let from, let to):
            packer.put([Self.obstacleKind, domain.id, from?.rawValue ?? 0, to?.rawValue ?? 0])
        case .forgotten(let domain):
            packer.put([Self.forgottenKind, domain.id])
        case .part(let part, let domain, let from, let to):
            packer.put([Self.partKind, domain.id, part, from ? 1 : 0, to ? 1 : 0])
        case .unknown: break  // Nothing writes one: its row stays as it was stored.
        }
    }

    /// `unknown` for bytes of another version, which the seal and the chain have authenticated.
    init(stored bytes: ArraySlice<UInt8>) {
        do throws(Unpacker.Malformed) {
            var unpacker = Unpacker(bytes)
            self = try ConsentChange(from: &unpacker)
            if !unpacker.isAtEnd { self = .unknown }
        } catch {
            self = .unknown
        }
    }

    private init(from unpacker: inout Unpacker) throws(Unpacker.Malformed) {
        let kind: UInt8 = try unpacker.take()
        switch kind {
        case Self.toggleKind:
            self = .toggle(try unpacker.takeDomain(), from: try unpacker.takeBool(), to: try unpacker.takeBool())
        case Self.answerKind:
            self = .answer(
                try unpacker.takePermission(), from: try unpacker.takeAnswer(), to: try unpacker.takeAnswer())
        case Self.obstacleKind:
            self = .obstacle(
                try unpacker.takeDomain(), from: try unpacker.takeObstacle(), to: try unpacker.takeObstacle())
        case Self.forgottenKind: self = .forgotten(try unpacker.takeDomain())
        case Self.partKind:
            let domain = try unpacker.takeDomain()
            let part: UInt8 = try unpacker.take()
            guard domain.nameOfPart(part) != nil else { throw Unpacker.Malformed() }
            self = .part(part, of: domain, from: try unpacker.takeBool(), to: try unpacker.takeBool())
        default: throw Unpacker.Malformed()
        }
    }
}

extension Packer {
    mutating func put(_ answer: Answer) {
        put(answer.code)
        put(answer.offered.rawValue)
    }
}

extension Unpacker {
    fileprivate mutating func takeDomain() throws(Malformed) -> Domain {
        guard let domain = Domain(id: try take()) else { throw Malformed() }
        return domain
    }

    fileprivate mutating func takePermission() throws(Malformed) -> Permission {
        guard let permission = Permission(id: try take()) else { throw Malformed() }
        return permission
    }

    mutating func takeAnswer() throws(Malformed) -> Answer {
        let code: UInt64 = try take()
        let offered: UInt64 = try take()
        guard let answer = Answer(code: code, offered: Scope(rawValue: offered)) else { throw Malformed() }
        return answer
    }

    /// An obstacle; nil for zero, which means none.
    mutating func takeObstacle() throws(Malformed) -> Obstacle? {
        let code: UInt8 = try take()
        guard code != 0 else { return nil }
        guard let obstacle = Obstacle(rawValue: code) else { throw Malformed() }
        return obstacle
    }
}
