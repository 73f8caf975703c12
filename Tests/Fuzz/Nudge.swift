import Domains
import Core

@testable import Delivery

private let boot = BootID(high: 1, low: 2)
private let now = Instant(
    boot: BootTime(nanoseconds: 86_400_000_000_000), wall: WallTime(secondsSinceEpoch: 1_790_000_000))

/// The body of a server's answer, and the books of nudges, alarms and places, as after the seal has opened.
func fuzzNudge(_ bytes: [UInt8]) {
    if let nudge = NudgeAnswer.nudge(in: bytes) {
        check(nudge)
        var book = NudgeBook()
        book.add(nudge, answering: 1, at: now.wall)
        check(book)
    }
    if let book = try? NudgeBook(bytes) {
        book.nudges.forEach { check($0.nudge) }
        check(book)
    }
    if let book = try? AlarmBook(bytes) { check(book) }
    if let day = try? PlaceDay(bytes) { check(day) }
}

private func check(_ nudge: Nudge) {
    require(nudge.message.unicodeScalars.count <= Nudge.mostCharacters, "a message that is too long")
    require(Nudge(nudge.strength, message: nudge.message) == nudge, "a message that is not plain")
    require(!nudge.message.utf8.contains { $0 < 0x20 || $0 == 0x7F }, "a message with a control")
}

/// It is used, and read again as it was.
private func check(_ original: NudgeBook) {
    var book = original
    require((try? NudgeBook(book.bytes)) == book, "nudges change when they are stored")
    if let waiting = book.waiting { book.settle(waiting.record, .played) }
    book.add(Nudge(.light, message: "a"), answering: 7, at: now.wall)
    require(book.nudges.count <= max(original.nudges.count, 20), "too many nudges")
    book.drop(before: now.wall)
    require((try? NudgeBook(book.bytes)) == book, "nudges change when they are stored")
}

private func check(_ original: PlaceDay) {
    var day = original
    require((try? PlaceDay(day.bytes)) == day, "places change when they are stored")
    day.add(.visit(Visit(arrived: now.wall, left: nil, place: 1, position: nil)))
    day.narrow(to: .placeEvents)
    require((try? PlaceDay(day.bytes)) == day, "places change when they are stored")
}

private func check(_ original: AlarmBook) {
    var book = original
    require((try? AlarmBook(book.bytes)) == book, "alarms change when they are stored")
    for isTrusted in [true, false] {
        let clock = isTrusted ? TrustedClock(began: now.wall - .days(1), source: .kernel, since: now.boot) : nil
        guard let moment = AlarmMoment(now, clock, boot: boot) else { continue }
        let circumstances = AlarmBook.Circumstances(
            zone: .utc, since: now.wall - .days(3), wakeWindow: .minutes(30), stirredAt: now.boot)
        _ = book.resume(at: moment, circumstances)
        for act in book.act(at: moment, circumstances) {
            if case .play(let id, _, _) = act { book.ended(id, failed: false) }
        }
        if let next = book.next(at: moment, circumstances) {
            // What is snoozed beyond two minutes ago is cut short, and never waited for.
            require(next > now.boot - .minutes(2), "an alarm that is waited for in the past")
        }
        require((try? AlarmBook(book.bytes)) == book, "alarms change when they are stored")
    }
    _ = book.snooze(for: .minutes(9), at: now.boot, in: boot)
    _ = book.stop(in: boot)
    _ = book.add(AlarmPlan(kind: .wake, minute: 420), at: now.wall)
    require(book.alarms.count <= AlarmBook.mostAlarms, "too many alarms")
}
