import Core

/// A table to carry over: every row with the place that its seal is bound to.
struct SalvageTable: Sendable {
    let name: String
    /// The sealed column is the last.
    let columns: [String]
    /// Nil for an invalid row.
    let place: @Sendable (SalvageRow) -> SealedPlace?

    private static let provenance = ["source", "sample_type", "granularity", "consent"]

    static let mark = SalvageTable(name: "meta", columns: ["id", "generation", "sealed"]) { _ in .mark }
    static let consentNow = SalvageTable(name: "consent_now", columns: ["id", "sealed"]) { _ in .consentNow }
    static let consent = SalvageTable(name: "consent", columns: ["id", "sealed"]) { _ in .consent }
    static let boot = SalvageTable(name: "boot", columns: ["id", "boot", "sealed"]) { row in
        BootID(bytes: row.blob(1)).map { .boot($0, row.integer(0)) }
    }
    static let history = SalvageTable(name: "history", columns: ["day"] + provenance + ["sealed"]) { row in
        row.provenance(from: 1).map { .history(day: row.integer(0), $0) }
    }
    static let day = SalvageTable(name: "day", columns: ["day", "sealed"]) { row in
        Int32(exactly: row.integer(0)).map { .day(UTCDay(daysSinceEpoch: $0)) }
    }
    static let outbox = SalvageTable(name: "outbox", columns: ["id", "kind", "at", "key", "sealed"]) { row in
        IdempotencyKey(row.blob(3)).map {
            .outbox(record: row.integer(0), kind: row.integer(1), at: row.integer(2), key: $0)
        }
    }
    static let outboxDelivery = SalvageTable(name: "outbox_delivery", columns: ["record", "sink", "sealed"]) { row in
        UInt8(exactly: row.integer(1)).map { .outboxDelivery(record: row.integer(0), sink: $0) }
    }
    static let delivery = SalvageTable(name: "delivery", columns: ["sink", "sealed"]) { row in
        UInt8(exactly: row.integer(0)).map { .delivery(sink: $0) }
    }
    /// Its place names the boot by its identity, so a quarter is opened when it is read.
    static let quarter = SalvageTable(
        name: "quarter", columns: ["boot", "start", "length", "late"] + provenance + ["sealed"]
    ) { _ in nil }

    /// Not carried over. Its place names the boot by its identity.
    static let moment = SalvageTable(
        name: "moment", columns: ["boot", "at", "kind", "record"] + provenance + ["sealed"]
    ) { _ in nil }

    static let book = SalvageTable(name: "book", columns: ["id"] + provenance + ["sealed"]) { row in
        row.provenance(from: 1).map { .book(row.integer(0), $0) }
    }

    static let all = [
        mark, consentNow, consent, boot, history, day, quarter, outbox, outboxDelivery, delivery, book,
    ]

    /// Not `joined(separator:)`, which makes the runtime load every conformance in the program into memory.
    var columnNames: String {
        var names = ""
        for column in columns { names += names.isEmpty ? column : ", \(column)" }
        return names
    }

    static let beforeOutbox = [boot, history, day, quarter, book, consent]
    static let ofOutbox = [outbox, outboxDelivery, delivery]

    /// Whether rows are taken unchecked, because their seal is checked later.
    var isCheckedLater: Bool { name == "quarter" }
}
