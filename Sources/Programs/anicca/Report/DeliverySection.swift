import Commands
import Store

/// The state of delivery: of the displayed days, and of the whole outbox.
struct DeliverySection {
    private let report: Report

    init(_ report: Report) { self.report = report }

    var section: HTML {
        let rows = lines.flatMap { [HTML.element("dt", HTML($0.name)), .element("dd", .name($0.text))] }
        return .section("delivery", "Delivery", [.element("dl", rows)])
    }

    /// For these days, then for the whole outbox, as in `anicca status`.
    var lines: [(name: String, text: String)] {
        let status = report.delivery
        var lines = [
            ("sent", "\(counted(count { $0 == .delivered }, "record")) of these days"),
            ("waiting", status.queuedText),
        ]
        if status.queued > 0 {
            lines.append(("waits for", report.wait?.text ?? "its due time or the next run"))
        }
        lines.append(("set aside", "\(status.setAside)" + (status.setAside > 0 ? ", refused by the server" : "")))
        let withheld = count { $0 == .withheld }
        let incomplete = count { $0 == .incomplete }
        if withheld > 0 { lines.append(("withheld", "\(withheld), as their domains were turned off")) }
        if incomplete > 0 { lines.append(("incomplete", "\(incomplete), as a part of the store was lost")) }
        if status.dropped > 0 { lines.append(("dropped", "\(status.dropped), too old")) }
        if status.isPaused { lines.append(("paused", "the server refused the token; sign in again")) }
        lines.append(("last success", status.lastSuccess?.description ?? "none yet"))
        if let error = status.lastError {
            lines.append(("last error", "\(status.lastErrorAt.map { "\($0) " } ?? "")\(error)"))
        }
        return lines
    }

    private func count(_ isWanted: (DayDelivery) -> Bool) -> Int {
        report.days.count { $0.delivery.map(isWanted) ?? false }
    }
}
