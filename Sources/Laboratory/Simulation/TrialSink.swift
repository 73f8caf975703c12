import Domains
import Core
import Delivery

/// A receiver that keeps its records, and is sometimes unreachable.
final class TrialSink: Sink {
    let account: [UInt8] = [1]
    let setUp: [UInt8] = [1]
    /// Whether it always answers.
    var isReliable = false
    /// The received records, by key.
    private(set) var records: [String: SinkRecord.Content] = [:]
    /// The messages handed over for each key, whether or not they arrived.
    private var messages: [String: [UInt8]] = [:]
    private var random: SplitGenerator
    private let model: TrialModel

    init(_ model: TrialModel, seed: UInt64) {
        self.model = model
        random = SplitGenerator(seed: seed, stream: 3)
    }

    func message(for content: SinkRecord.Content) -> [UInt8] { Array("\(content)".utf8) }

    func deliver(_ record: SinkRecord, as message: [UInt8], timeout: Interval) -> SinkAnswer {
        model.check(record)
        let chance = isReliable ? 100 : Int.random(in: 0..<100, using: &random)
        if chance < 10 { return SinkAnswer(.unreachable, problem: "no network") }
        model.check(messages.updateValue(message, forKey: record.key) ?? message == message, of: record)
        if chance < 15 { return SinkAnswer(.hold(.busy, after: .seconds(40)), problem: "503") }
        if chance < 20 { return SinkAnswer(.retry(.usual), problem: "500") }
        records[record.key] = record.content
        if chance < 30 { return SinkAnswer(.retry(.usual), problem: "the answer was lost") }
        return SinkAnswer(.delivered)
    }
}
