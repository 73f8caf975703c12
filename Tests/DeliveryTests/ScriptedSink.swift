import Quantities
import Schedule
import Sinks

/// A sink that answers as told, and then takes everything.
final class ScriptedSink: Sink {
    let kind: SinkKind
    var account: [UInt8] = [7]
    var setUp: [UInt8] = [1]
    private(set) var messages: [[UInt8]] = []
    private(set) var taken: [SinkRecord] = []
    private var answers: [SinkAnswer]

    init(id: UInt8, answers: [SinkAnswer] = []) {
        kind = SinkKind(id: id, name: "scripted\(id)") { (_) throws(SinkUnusable) in .unused }
        self.answers = answers
    }

    var opened: OpenedSink { OpenedSink(kind: kind, state: .ready(self)) }

    /// Of the program that makes the messages.
    var version = "1"

    func message(for content: SinkRecord.Content) -> [UInt8] { Array("\(version) \(content)".utf8) }

    func deliver(_ record: SinkRecord, as message: [UInt8], timeout: Interval) -> SinkAnswer {
        taken.append(record)
        messages.append(message)
        return answers.isEmpty ? SinkAnswer(.delivered) : answers.removeFirst()
    }
}
