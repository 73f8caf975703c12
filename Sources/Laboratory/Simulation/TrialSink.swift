import Domains
import Quantities
import Schedule
import Sinks

/// A receiver that keeps what it got, and is not always there.
final class TrialSink: Sink {
    let credentials: [UInt8] = [1]
    /// Whether it always answers.
    var isReliable = false
    /// What it got, by key.
    private(set) var records: [String: SinkRecord.Content] = [:]
    private var random: SplitGenerator
    private let model: TrialModel

    init(_ model: TrialModel, seed: UInt64) {
        self.model = model
        random = SplitGenerator(seed: seed, stream: 3)
    }

    func deliver(_ record: SinkRecord, timeout: Interval) -> SinkAnswer {
        model.check(record)
        let chance = isReliable ? 100 : Int.random(in: 0..<100, using: &random)
        if chance < 10 { return SinkAnswer(.retry(after: nil), problem: "no network", isUnreachable: true) }
        if chance < 20 { return SinkAnswer(.retry(after: nil), problem: "503") }
        records[record.key] = record.content
        if chance < 30 { return SinkAnswer(.retry(after: nil), problem: "the answer was lost") }
        return SinkAnswer(.delivered)
    }
}
