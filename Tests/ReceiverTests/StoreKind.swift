import Foundation
import Testing

@testable import anicca_receiver

/// The stores that are held to the same promises.
enum StoreKind: String, CaseIterable, CustomTestStringConvertible {
    case sqlite
    case postgreSQL

    static let available = allCases.filter { $0 == .sqlite || PostgreSQLCluster.shared != nil }
    static let ofAServer = available.filter { $0 == .postgreSQL }

    var testDescription: String { rawValue }

    /// A store without tables that several connections can open.
    func newAddress() throws -> StoreAddress {
        switch self {
        case .sqlite:
            let name = "receiver-\(UUID().uuidString).sqlite"
            return try #require(
                StoreAddress(argument: FileManager.default.temporaryDirectory.appending(path: name).path))
        case .postgreSQL: return try #require(PostgreSQLCluster.shared).newDatabase()
        }
    }
}

extension StoreAddress {
    /// A database of the cluster goes with it.
    func removeFiles() {
        guard case .sqlite(let path) = kind else { return }
        for suffix in ["", "-wal", "-shm"] { unlink(path + suffix) }
    }
}

/// A store with tables and two devices, each of an account of its own.
final class StoreTrial {
    static let wearer = "6f1c2a9e-3b57-4c0d-9e1f-2a7b8c9d0e1f"
    static let other = "2d1a8f5e-8a1b-4f54-9c32-0123456789ab"

    let address: StoreAddress
    let store: any RecordStore

    init(_ kind: StoreKind) throws {
        address = try kind.newAddress()
        store = try address.open()
        try store.migrate()
        try store.enroll([
            EnrolledDevice(account: Self.wearer, name: "wrist", token: Digest("token".utf8)),
            EnrolledDevice(account: Self.other, name: "belt", token: Digest("other".utf8)),
        ])
    }

    deinit { address.removeFiles() }

    func keep(_ submissions: Submission...) throws -> [Kept] { try store.keep(submissions) }

    /// What is stored of the wearer.
    func contents(of account: String = wearer) throws -> [Submission.Content] {
        try store.contents(of: account).map(\.content)
    }
}

extension Submission {
    /// A submission under a key that the number makes.
    init(_ number: Int, _ content: Content, token: String = "token", body: String? = nil) {
        self.init(
            sender: .holder(of: Digest(token.utf8)), key: Submission.key(number),
            digest: Digest((body ?? "\(content)").utf8), content: content)
    }

    static func key(_ number: Int) -> String {
        let digits = String(number)
        return "0b6f8c52-91d3-4e7a-8a40-" + String(repeating: "0", count: 12 - digits.count) + digits
    }
}

extension Submission.Content {
    static func day(_ date: String, steps: Int64?, sleep: Int64? = nil, of account: String = StoreTrial.wearer) -> Self
    {
        var record = DailyRecord(account: account, date: date)
        record.figures["steps"] = steps.map(JSON.integer)
        record.figures["sleepDurationMin"] = sleep.map(JSON.integer)
        return .day(record)
    }

    static func visit(_ time: String, _ place: String? = nil) -> Self {
        .event(Event(type: "visit", timestamp: time, place: place))
    }

    static func erasure(
        _ until: String, figures: [String] = [], events: [String] = [], of account: String = StoreTrial.wearer
    ) -> Self {
        .erasure(Erasure(account: account, until: until, figures: figures, events: events))
    }
}
