import Foundation

/// A way to mistreat the next few requests.
struct Misbehaviour: Sendable {
    enum Kind: Sendable, Equatable {
        case status(Int, retryAfter: Int?)
        case dropBeforeStoring
        case dropAfterStoring
        case stall(seconds: Double)
        case rubbish
    }

    struct Malformed: Error, CustomStringConvertible {
        let description = """
            a misbehaviour is one of {"status":N}, {"drop":"before"}, {"drop":"after"}, {"stall":SECONDS}, \
            {"rubbish":true}; with "count":N for more than one request, and "retryAfter":SECONDS beside a status
            """
    }

    let kind: Kind
    var count: Int

    init(json: Data) throws {
        guard case .object(let fields) = JSON(json),
            fields.keys.allSatisfy(["status", "retryAfter", "drop", "stall", "rubbish", "count"].contains),
            let kind = Kind(fields), let count = (fields["count"] ?? .integer(1)).integer, count > 0
        else { throw Malformed() }
        self.kind = kind
        self.count = Int(count)
    }
}

extension Misbehaviour.Kind {
    fileprivate init?(_ fields: [String: JSON]) {
        switch (fields["status"], fields["drop"], fields["stall"], fields["rubbish"]) {
        case (.integer(let status)?, nil, nil, nil) where (200...599).contains(status):
            self = .status(Int(status), retryAfter: fields["retryAfter"]?.integer.map(Int.init))
        case (nil, .string("before")?, nil, nil): self = .dropBeforeStoring
        case (nil, .string("after")?, nil, nil): self = .dropAfterStoring
        case (nil, nil, .integer(let seconds)?, nil): self = .stall(seconds: Double(seconds))
        case (nil, nil, .number(let seconds)?, nil): self = .stall(seconds: seconds)
        case (nil, nil, nil, .boolean(true)?): self = .rubbish
        default: return nil
        }
    }
}
