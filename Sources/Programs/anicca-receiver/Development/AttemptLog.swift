import Foundation

extension SQLiteStore {
    /// Records a request; `status` is nil if it got no answer.
    func note(_ note: String, path: String, key: String?, status: Int?, isDuplicate: Bool) throws(StoreFailure) {
        try database.rows(
            "INSERT INTO requests(at, path, key, status, duplicate, note) VALUES(?, ?, ?, ?, ?, ?)",
            [
                .text(SQLiteStore.now), .text(path), Value(key), Value(status.map(Int64.init)),
                .integer(isDuplicate ? 1 : 0), .text(note),
            ])
    }

    /// Every request, the oldest first.
    func attempts() throws(StoreFailure) -> [JSON] {
        try database.rows("SELECT at, path, key, status, duplicate, note FROM requests ORDER BY id").map { row in
            .object([
                "at": row[0].json, "path": row[1].json, "key": row[2].json, "status": row[3].json,
                "duplicate": row[4].json, "note": row[5].json,
            ])
        }
    }

    func counts() throws(StoreFailure) -> JSON {
        let names = ["records", "requests", "duplicates", "refused", "unanswered"]
        let row = try database.rows(
            """
            SELECT (SELECT count(*) FROM daily_record) + (SELECT count(*) FROM event), count(*),
                count(*) FILTER (WHERE duplicate), count(*) FILTER (WHERE status >= 400),
                count(*) FILTER (WHERE status IS NULL) FROM requests
            """)
        return .object(Dictionary(uniqueKeysWithValues: zip(names, (row.first ?? []).map(\.json))))
    }
}

extension SQLiteDatabase.Value {
    fileprivate var json: JSON {
        switch self {
        case .null: .null
        case .integer(let number): .integer(number)
        case .text(let text): .string(text)
        }
    }
}

extension StoredRecord {
    /// In the form of `GET /_records` and `anicca-receiver export`: the body as it was sent, without erased parts.
    var json: JSON {
        let (path, body): (Endpoint, [String: JSON?]) =
            switch content {
            case .day(let record):
                (
                    record.device == nil ? .dailyMetrics : .dailyQuarters,
                    record.figures.mapValues(Optional.some).merging([
                        "userId": .string(record.account), "date": .string(record.date),
                        "coverage": record.coverage.flatMap { JSON(Data($0.utf8)) },
                        "device": record.device.map(JSON.string),
                        "quarters": record.quarters.flatMap { JSON(Data($0.utf8)) },
                    ]) { $1 }
                )
            case .event(let event):
                (
                    .nudge,
                    [
                        "eventType": .string(event.type), "timestamp": .string(event.timestamp),
                        "eventPayload": .object(event.payload),
                    ]
                )
            case .erasure: (.erasure, [:])
            }
        return .object([
            "at": .string(receivedAt), "key": .string(key), "path": .string(path.rawValue),
            "body": .object(body.compactMapValues { $0 }),
        ])
    }
}

extension Event {
    fileprivate var payload: [String: JSON] {
        var payload: [String: JSON] = [:]
        if let threshold {
            payload[type == "sedentary_long" ? "stationaryMinutes" : "thresholdMinutes"] = .integer(threshold)
        }
        if let place { payload["place"] = .string(place) }
        return payload
    }
}
