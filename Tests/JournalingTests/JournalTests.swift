import Glibc
import TestFiles
import Testing

@testable import System

private final class Entries {
    var all: [JournalEntry] = []
}

@Suite struct JournalTests {
    private let entries = Entries()
    private var journal: Journal { Journal(identifier: "aniccad") { [entries] in entries.all.append($0) } }

    /// Takes a message of the journal's protocol apart, as journald does; nil where it breaks off.
    private func fields(of message: [UInt8]) -> [String]? {
        var (rest, fields) = (message[...], [String]())
        while !rest.isEmpty {
            guard let end = rest.firstIndex(of: UInt8(ascii: "\n")), rest.endIndex - end > 9 else { return nil }
            let count = rest[(end + 1)...(end + 8)].reversed().reduce(0) { $0 << 8 | Int($1) }
            let value = rest[(end + 9)...].prefix(count)
            guard value.count == count, value.endIndex < rest.endIndex, rest[value.endIndex] == UInt8(ascii: "\n")
            else { return nil }
            fields.append(String(decoding: rest[..<end], as: UTF8.self) + "=" + String(decoding: value, as: UTF8.self))
            rest = rest[(value.endIndex + 1)...]
        }
        return fields
    }

    @Test func anEntryHasItsFieldsInTheJournal() throws {
        journal.log(.notice, .windowLost, domain: .motion, "a window is incomplete", ["SAMPLES": "12"])
        #expect(
            fields(of: try #require(entries.all.first).journalMessage) == [
                "MESSAGE=a window is incomplete", "PRIORITY=5", "SYSLOG_IDENTIFIER=aniccad",
                "MESSAGE_ID=\(JournalEvent.windowLost.messageID)", "ANICCA_EVENT=windowLost", "ANICCA_DOMAIN=motion",
                "ANICCA_SAMPLES=12",
            ])
    }

    @Test func anEntryIsOneLineForPeople() throws {
        journal.log(.notice, .windowLost, domain: .motion, "a window is incomplete", ["SAMPLES": "12"])
        journal.log(.error, .configInvalid, "not usable")
        #expect(
            entries.all.map { $0.plainLine() } == [
                "aniccad: notice: motion: a window is incomplete (windowLost samples=12)",
                "aniccad: error: not usable (configInvalid)",
            ])
        #expect(
            entries.all[1].plainLine(coloured: true)
                == "\u{1B}[1;31maniccad: error: not usable (configInvalid)\u{1B}[0m")
    }

    @Test func aLineBeginsWithTheTimeThatItIsGiven() throws {
        journal.log(.error, .configInvalid, "not usable")
        let entry = try #require(entries.all.first)
        #expect(
            entry.plainLine(at: "2025-01-13T12:00:00Z")
                == "2025-01-13T12:00:00Z aniccad: error: not usable (configInvalid)")
        #expect(
            entry.plainLine(coloured: true, at: "2025-01-13T12:00:00Z")
                == "2025-01-13T12:00:00Z \u{1B}[1;31maniccad: error: not usable (configInvalid)\u{1B}[0m")
    }

    @Test func aLineEndForgesNeitherAFieldNorALine() throws {
        journal.log(.info, .sensorFailed, "x\nPRIORITY=0", ["PATH": "/dev\nMESSAGE=forged\u{1B}[2J"])
        let entry = try #require(entries.all.first)
        let sent = try #require(fields(of: entry.journalMessage))
        #expect(sent.filter { $0.hasPrefix("MESSAGE=") } == ["MESSAGE=x\nPRIORITY=0"])
        #expect(sent.last == "ANICCA_PATH=/dev\nMESSAGE=forged\u{1B}[2J")
        #expect(
            entry.plainLine()
                == "aniccad: info: x\\nPRIORITY=0 (sensorFailed path=/dev\\nMESSAGE=forged\\u{1B}[2J)")
    }

    @Test func plainLinesArriveWhole() throws {
        var ends: [Int32] = [-1, -1]
        try #require(pipe(&ends) == 0)
        defer { close(ends[0]) }
        let journal = Journal.plain(identifier: "anicca", descriptor: ends[1])
        journal.log(.info, .started, "ready")
        journal.log(.info, .stopped, "over")
        close(ends[1])
        let bytes = [UInt8](unsafeUninitializedCapacity: 200) { buffer, count in
            count = read(ends[0], buffer.baseAddress, buffer.count)
        }
        #expect(
            String(decoding: bytes, as: UTF8.self)
                == "anicca: info: ready (started)\nanicca: info: over (stopped)\n")
    }

    @Test func theJournalIsKnownByDeviceAndInode() throws {
        let directory = try TemporaryDirectory()
        let descriptor = open(try directory.write("stream", ""), O_RDONLY)
        defer { close(descriptor) }
        var status = stat()
        try #require(fstat(descriptor, &status) == 0)
        #expect(Journal.leadsToJournal(descriptor, "\(status.st_dev):\(status.st_ino)"))
        #expect(!Journal.leadsToJournal(descriptor, "\(status.st_dev):\(status.st_ino + 1)"))
        #expect(!Journal.leadsToJournal(descriptor, nil))
        #expect(!Journal.leadsToJournal(-1, "0:0"))
    }

    @Test func aLimitedLogLeavesOutWhatMattersLess() {
        let limited = journal.limited(to: .warning)
        limited.log(.notice, .started, "left out")
        limited.log(.warning, .uploadFailed, "kept")
        limited.log(.error, .storeFailed, "kept")
        #expect(entries.all.map(\.message) == ["kept", "kept"])
    }

    @Test func everyEventHasAMessageIDOfItsOwn() {
        #expect(Set(JournalEvent.allCases.map(\.messageID)).count == JournalEvent.allCases.count)
        for event in JournalEvent.allCases {
            #expect(event.messageID.utf8.count == 32 && event.messageID.allSatisfy(\.isHexDigit), "\(event)")
        }
    }

    /// People search for these; a change here breaks their searches.
    @Test func namesAndMessageIDsStayTheSame() {
        #expect(JournalEvent.started.rawValue == "started")
        #expect(JournalEvent.started.messageID == "153dbc78a9e6433a99fd95dac92c216a")
        #expect(JournalEvent.sedentaryLong.rawValue == "sedentaryLong")
    }
}
