import Consent
import Quantities

/// A change is stored as four bytes: its kind, what it is about, from and to. Never reuse a kind.
extension ConsentChange {
    private static let toggleKind: UInt8 = 1
    private static let answerKind: UInt8 = 2
    private static let obstacleKind: UInt8 = 3
    private static let forgottenKind: UInt8 = 4

    func pack(into packer: inout Packer) {
        let (kind, subject, from, to): (UInt8, UInt8, UInt8, UInt8) =
            switch self {
            case .toggle(let domain, let from, let to): (Self.toggleKind, domain.rawValue, from ? 1 : 0, to ? 1 : 0)
            case .answer(let permission, let from, let to):
                (Self.answerKind, permission.rawValue, from.code, to.code)
            case .obstacle(let domain, let from, let to):
                (Self.obstacleKind, domain.rawValue, from?.rawValue ?? 0, to?.rawValue ?? 0)
            case .forgotten(let domain): (Self.forgottenKind, domain.rawValue, 0, 0)
            }
        for byte in [kind, subject, from, to] { packer.put(byte) }
    }

    init(from unpacker: inout Unpacker) throws(Unpacker.Malformed) {
        let kind: UInt8 = try unpacker.take()
        switch kind {
        case Self.toggleKind:
            self = .toggle(try unpacker.takeDomain(), from: try unpacker.takeBool(), to: try unpacker.takeBool())
        case Self.answerKind:
            let permission = try unpacker.takePermission()
            self = .answer(
                permission, from: try unpacker.takeAnswer(to: permission), to: try unpacker.takeAnswer(to: permission))
        case Self.obstacleKind:
            self = .obstacle(
                try unpacker.takeDomain(), from: try unpacker.takeObstacle(), to: try unpacker.takeObstacle())
        case Self.forgottenKind:
            self = .forgotten(try unpacker.takeDomain())
            guard try unpacker.take(UInt16.self) == 0 else { throw Unpacker.Malformed() }
        default: throw Unpacker.Malformed()
        }
    }
}

extension Unpacker {
    fileprivate mutating func takeDomain() throws(Malformed) -> Domain {
        guard let domain = Domain(rawValue: try take()) else { throw Malformed() }
        return domain
    }

    fileprivate mutating func takePermission() throws(Malformed) -> Permission {
        guard let permission = Permission(rawValue: try take()) else { throw Malformed() }
        return permission
    }

    mutating func takeAnswer(to permission: Permission) throws(Malformed) -> Answer {
        guard let answer = Answer(code: try take(), to: permission) else { throw Malformed() }
        return answer
    }

    /// An obstacle; nil for zero, which stands for none.
    mutating func takeObstacle() throws(Malformed) -> Obstacle? {
        let code: UInt8 = try take()
        guard code != 0 else { return nil }
        guard let obstacle = Obstacle(rawValue: code) else { throw Malformed() }
        return obstacle
    }

    mutating func takeActor() throws(Malformed) -> ConsentActor {
        guard let actor = ConsentActor(rawValue: try take()) else { throw Malformed() }
        return actor
    }
}
