import Foundation

/// The log on standard error, one JSON object on each line. It contains no account, token, key or value of a record.
struct ServiceLog: Sendable {
    /// Seconds between messages about failures of the store, because every request fails while it is unavailable.
    private static let pause = 10.0

    private let lastFailure = Locked(Date.distantPast)

    func note(_ level: String, _ event: String, _ fields: [String: JSON] = [:]) {
        var line = fields
        line["time"] = .string(Date.now.formatted(.iso8601))
        line["level"] = .string(level)
        line["event"] = .string(event)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // Cannot fail: every `JSON` can be encoded.
        let text = ((try? encoder.encode(JSON.object(line))) ?? Data()) + Data("\n".utf8)
        // If the log is full or its reader is gone, records are still stored.
        try? FileHandle.standardError.write(contentsOf: text)
    }

    /// Logs answers that may need attention; the others are counted in `Metrics`.
    func noteAnswer(at endpoint: Endpoint, status: Int, seconds: Double) {
        guard status >= 400, status != 503 else { return }
        note(
            "info", "refused",
            [
                "endpoint": .string(endpoint.rawValue), "status": .integer(Int64(status)),
                "milliseconds": .integer(Int64(seconds * 1000)),
            ])
    }

    func noteFailure(_ failure: StoreFailure) {
        let isDue = lastFailure.change { last in
            guard Date.now.timeIntervalSince(last) >= ServiceLog.pause else { return false }
            last = .now
            return true
        }
        if isDue { note("error", "storeFailed", ["message": .string(failure.description)]) }
    }
}
