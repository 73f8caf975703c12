import Domains
import Glibc
import Program
import Quantities

extension SinkKind {
    /// Appends each record as a line of JSON to the file that `ANICCA_PROBE_SINK` names; unused without it.
    public static let probe = SinkKind(id: 250, name: "probe") { (_, _) throws(SinkUnusable) in
        guard let path = getenv("ANICCA_PROBE_SINK") else { return .unused }
        return .ready(ProbeSink(path: String(cString: path)))
    }
}

struct ProbeSink: Sink {
    let path: String

    var credentials: [UInt8] { [] }

    func deliver(_ record: SinkRecord, timeout: Interval) -> SinkAnswer {
        var line = JSONObject()
        line.put("key", record.key)
        switch record.content {
        case .day(let day, let figures):
            line.put("day", day.description)
            for figure in Figure.all { if let value = figures[figure] { line.put(figure.description, value) } }
        case .event(let event): line.put("event", event.kind.description)
        }
        let file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        guard file >= 0 else {
            return SinkAnswer(.retry(after: nil), problem: "cannot open \(path)", isUnreachable: true)
        }
        defer { close(file) }
        let bytes = line.utf8 + [UInt8(ascii: "\n")]
        guard write(file, bytes, bytes.count) == bytes.count, fsync(file) == 0 else {
            return SinkAnswer(.retry(after: nil), problem: "cannot write \(path)")
        }
        return SinkAnswer(.delivered)
    }
}
