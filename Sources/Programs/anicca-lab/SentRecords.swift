import Config
import Domains
import Core
import Delivery

/// The records that a device's sinks have delivered.
final class SentRecords {
    struct Record {
        let key: String
        let message: String
    }

    private(set) var records: [Record] = []

    /// The same sinks, which record each delivery.
    func noting(_ sinks: [OpenedSink]) -> [OpenedSink] {
        sinks.map { opened in
            guard case .ready(let sink) = opened.state else { return opened }
            return OpenedSink(kind: opened.kind, state: .ready(NotedSink(sink: sink, notes: self)))
        }
    }

    fileprivate func add(_ record: Record) { records.append(record) }
}

private struct NotedSink: Sink {
    let sink: any Sink
    let notes: SentRecords

    var account: [UInt8] { sink.account }
    var setUp: [UInt8] { sink.setUp }

    func message(for content: SinkRecord.Content) -> [UInt8] { sink.message(for: content) }

    func deliver(_ record: SinkRecord, as message: [UInt8], timeout: Interval) -> SinkAnswer {
        let answer = sink.deliver(record, as: message, timeout: timeout)
        if answer.outcome == .delivered {
            notes.add(SentRecords.Record(key: record.key, message: String(decoding: message, as: UTF8.self)))
        }
        return answer
    }

    var announcementForm: [UInt8]? { sink.announcementForm }

    func announce(_ allowed: [Figure], withdrawn: [Figure], timeout: Interval) -> SinkAnswer {
        sink.announce(allowed, withdrawn: withdrawn, timeout: timeout)
    }

    func finish(at now: WallTime, timeout: Interval) { sink.finish(at: now, timeout: timeout) }
}
