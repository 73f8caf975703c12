import Domains
import Store
import Core
import Sensing

/// A store in memory, which keeps a session's batches as long as the process lives.
public final class MemoryStore: SensingStore {
    public private(set) var days: [ClosedDay] = []
    public private(set) var quarters: [Quarter] = []
    public private(set) var checkpoint: [UInt8] = []
    public private(set) var commits = 0
    private var raised: [RaisedEvent] = []
    private var boots: [(id: BootID, log: BootLog)] = []
    private let rule: DayRule
    /// The rows that a command of the wearer has changed, at most one of a book.
    public var rows: [any BookRow] = []

    public init(rule: DayRule = DayRule()) { self.rule = rule }

    @discardableResult
    public func commit(_ batch: Batch) throws(LedgerError) -> Settlement {
        quarters = quarters.adding(batch.collected.quarters)
        raised += batch.events
        checkpoint = batch.checkpoint
        commits += 1
        for reading in batch.collected.boots {
            let index = boots.firstIndex { $0.id == reading.id } ?? boots.count
            if index == boots.count { boots.append((reading.id, BootLog())) }
            boots[index].log.take(reading)
        }
        var settlement = Settlement()
        guard let settled = batch.collected.settled else { return settlement }
        for (day, fold) in folds(of: quarters).sorted(by: { $0.key < $1.key })
        where day < settled.day && !days.contains(where: { $0.day == day }) {
            days.append(fold.closed(day, rule))
            settlement.closedDays.append(day)
        }
        return settlement
    }

    public func row<Row: BookRow>(of book: Row.Type) -> Row? {
        for case let row as Row in rows { return row }
        return Row()
    }

    private func folds(of quarters: [Quarter], knowing more: [BootReading] = []) -> [UTCDay: DayFold] {
        let known = more.filter { reading in !self.boots.contains { $0.id == reading.id } }
        let boots =
            self.boots
            + known.map { reading in
                var log = BootLog()
                log.take(reading)
                return (reading.id, log)
            }
        let history = BootHistory(boots)
        var folds: [UTCDay: DayFold] = [:]
        for quarter in quarters {
            guard let index = boots.firstIndex(where: { $0.id == quarter.boot }),
                case .open(let day) = history.date(ofQuarterAt: quarter.start, length: quarter.length, inBoot: index)
            else { continue }
            folds[day, default: DayFold()].add(quarter, began: history.wall(at: quarter.start, inBoot: index))
        }
        return folds
    }

    /// The events of boots that have a date.
    public var events: [NudgeEvent] {
        raised.compactMap { event in
            boots.first { $0.id == event.boot }?.log.clock.map {
                NudgeEvent(kind: event.kind, at: $0.time(at: event.at).wall, value: event.value)
            }
        }
    }

    /// The figures of a day so far, from the stored data and from the session.
    public func figures(of day: UTCDay, with session: SensingSession) -> [ClosedDay.Entry] {
        (folds(of: quarters.adding(session.quarters), knowing: session.boots)[day] ?? DayFold()).figures(Self.anyWear)
    }

    /// The total of a figure over all days; nil if it was not collected.
    public func total(of figure: Figure, with session: SensingSession) -> Int64? {
        var fold = DayFold()
        for quarter in quarters.adding(session.quarters) { fold.add(quarter) }
        return fold.figures(Self.anyWear).first { $0.figure == figure }?.value.number
    }

    private static var anyWear: DayRule {
        var rule = DayRule()
        rule.leastWear = .zero
        return rule
    }
}
