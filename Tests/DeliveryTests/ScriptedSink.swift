import Domains
import Core
import Delivery

/// A sink that answers as told, and then takes everything.
final class ScriptedSink: Sink {
    let kind: SinkKind
    var account: [UInt8] = [7]
    var setUp: [UInt8] = [1]
    private(set) var messages: [[UInt8]] = []
    private(set) var taken: [SinkRecord] = []
    var answers: [SinkAnswer]
    /// Announces nothing without one.
    var announcementForm: [UInt8]?
    /// Then all are taken.
    var toAnnouncements: [SinkAnswer] = []
    /// With the records that were taken before.
    private(set) var announced: [(allowed: [Figure], withdrawn: [Figure], taken: Int)] = []
    private(set) var finishes = 0
    /// How long it might have taken, for each record.
    private(set) var timeouts: [Interval] = []

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
        timeouts.append(timeout)
        messages.append(message)
        return answers.isEmpty ? SinkAnswer(.delivered) : answers.removeFirst()
    }

    func announce(_ allowed: [Figure], withdrawn: [Figure], timeout: Interval) -> SinkAnswer {
        announced.append((allowed, withdrawn, taken.count))
        return toAnnouncements.isEmpty ? SinkAnswer(.delivered) : toAnnouncements.removeFirst()
    }

    func finish(at now: WallTime, timeout: Interval) { finishes += 1 }
}

/// A sink that answers to each kind of record in its own way, and takes what it has no answer for.
final class AnsweringByKind: Sink {
    let kind: SinkKind
    let account: [UInt8] = [7]
    let setUp: [UInt8] = [1]
    private let toErasures: SinkAnswer?
    private let toEvents: (NudgeEvent) -> SinkAnswer?
    private(set) var erasures = 0
    private(set) var taken: [SinkRecord.Content] = []

    init(id: UInt8, erasures: SinkAnswer? = nil, events: @escaping (NudgeEvent) -> SinkAnswer? = { _ in nil }) {
        kind = SinkKind(id: id, name: "answering\(id)") { (_) throws(SinkUnusable) in .unused }
        toErasures = erasures
        toEvents = events
    }

    var opened: OpenedSink { OpenedSink(kind: kind, state: .ready(self)) }

    func message(for content: SinkRecord.Content) -> [UInt8] { Array("\(content)".utf8) }

    func deliver(_ record: SinkRecord, as message: [UInt8], timeout: Interval) -> SinkAnswer {
        taken.append(record.content)
        let answer: SinkAnswer?
        switch record.content {
        case .erasure:
            erasures += 1
            answer = toErasures
        case .event(let event): answer = toEvents(event)
        case .day: answer = nil
        }
        return answer ?? SinkAnswer(.delivered)
    }
}
