import Domains
import Glibc
import System
import Core

extension SinkKind {
    /// Appends each record as a line of JSON to the file that `ANICCA_PROBE_SINK` names; unused without it.
    public static let probe = SinkKind(id: 250, name: "probe") { (_) throws(SinkUnusable) in
        guard let path = getenv("ANICCA_PROBE_SINK") else { return .unused }
        return .ready(ProbeSink(path: String(cString: path)))
    }
}

struct ProbeSink: Sink {
    let path: String

    var account: [UInt8] { [] }
    var setUp: [UInt8] { Array(path.utf8) }

    func message(for content: SinkRecord.Content) -> [UInt8] {
        var line = JSONObject()
        switch content {
        case .day(let day, let figures, _):
            line.put("day", day.description)
            for figure in Figure.all { if let value = figures[figure] { line.put(figure: figure, value) } }
        case .event(let event): line.put("event", event.kind.description)
        case .erasure(let figures, let events, let until):
            line.put("until", until.description)
            line.put("erase", figures.map(\.description) + events.map(\.description))
        }
        return line.utf8
    }

    func deliver(_ record: SinkRecord, as message: [UInt8], timeout: Interval) -> SinkAnswer {
        let file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        guard file >= 0 else { return SinkAnswer(.unreachable, problem: "cannot open \(path)") }
        defer { close(file) }
        let bytes = Array(#"{"key":"\#(record.key)","record":"#.utf8) + message + Array("}\n".utf8)
        guard write(file, bytes, bytes.count) == bytes.count, fsync(file) == 0 else {
            return SinkAnswer(.retry(.usual), problem: "cannot write \(path)")
        }
        return SinkAnswer(.delivered)
    }
}
