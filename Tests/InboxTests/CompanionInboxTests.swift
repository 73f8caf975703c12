import Domains
import System
import Glibc
import Core
import TestFiles
import Testing

@testable import Devices

@Suite struct CompanionInboxTests {
    private let directory: TemporaryDirectory
    private let now = WallTime(secondsSinceEpoch: 1_763_424_000 + 43_200)  // 2025-11-18T12:00:00Z

    init() throws { directory = try TemporaryDirectory() }

    private func open(bell: String? = nil) throws -> CompanionInbox { try CompanionInbox(directory.path, bell: bell) }

    private func put(_ name: String, minutes: Int = 5, until end: String = "2025-11-18T11:05:00Z") throws {
        try directory.write(name, #"{"type":"sns","timestamp":"\#(end)","minutes":\#(minutes)}"#)
    }

    private func names(in place: String = "") throws -> [String] {
        guard let stream = opendir("\(directory.path)/\(place)") else { return [] }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != "." && name != ".." { names.append(name) }
        }
        return names.sorted()
    }

    @Test func aReportStaysUntilItIsStored() throws {
        try put("a.json")
        let inbox = try open()
        #expect(try inbox.read(10, at: now).reports.count == 1)
        #expect(try inbox.read(10, at: now) == ReportBatch(), "it is not read again")
        #expect(try names() == ["a.json"])
        try inbox.removeRead()
        #expect(try names().isEmpty)
        // Killed before it was deleted: another process reads it again.
        try put("b.json")
        #expect(try inbox.read(10, at: now).reports.count == 1)
        #expect(try open().read(10, at: now).reports.count == 1)
    }

    /// A bridge that has one name for its latest report.
    @Test func aReportThatTookThePlaceOfOneThatWasReadIsReadAndNotDeletedForIt() throws {
        try put("a.json", minutes: 5)
        let inbox = try open()
        #expect(try inbox.read(10, at: now).reports.count == 1)
        try put(".b.json", minutes: 7)
        #expect(rename("\(directory.path)/.b.json", "\(directory.path)/a.json") == 0)
        try inbox.removeRead()
        #expect(try names() == ["a.json"], "it was not read yet")
        #expect(
            try inbox.read(10, at: now).reports == [
                .use(WallTime(secondsSinceEpoch: 1_763_463_480)..<WallTime(secondsSinceEpoch: 1_763_463_900))
            ])
        try inbox.removeRead()
        #expect(try names().isEmpty)
    }

    /// The time of the file tells which report is later; a time to come would keep later ones from counting.
    @Test func aTotalIsOfTheTimeAtWhichItsFileWasWritten() throws {
        let day = UTCDay(containing: now)
        let times: [(String, Int64)] = [
            ("a", now.secondsSinceEpoch - 60), ("b", now.secondsSinceEpoch + 60), ("c", 0),
        ]
        for (name, seconds) in times {
            try directory.write(name, #"{"type":"mindful","date":"\#(day)Z","total":3}"#)
            var stamps = [timespec(tv_sec: Int(seconds), tv_nsec: 0), timespec(tv_sec: Int(seconds), tv_nsec: 0)]
            #expect(utimensat(AT_FDCWD, "\(directory.path)/\(name)", &stamps, 0) == 0)
        }
        let written = try open().read(10, at: now).reports.compactMap { report -> WallTime? in
            if case .total(let total) = report { total.written } else { nil }
        }
        #expect(written.sorted() == [WallTime(secondsSinceEpoch: 0), now - .seconds(60), now])
    }

    @Test func aReportThatIsReplacedBeforeItIsStoredIsReadAgain() throws {
        try put("a.json", minutes: 5)
        let inbox = try open()
        #expect(try inbox.read(10, at: now).reports.count == 1)
        try put(".b.json", minutes: 7)
        #expect(rename("\(directory.path)/.b.json", "\(directory.path)/a.json") == 0)
        #expect(try inbox.read(10, at: now).reports.count == 1)
        #expect(try inbox.read(10, at: now).reports.isEmpty)
        try inbox.removeRead()
        #expect(try names().isEmpty)
    }

    @Test func aFileThatIsBeingWrittenIsLeftAlone() throws {
        try directory.write(".b.json", "{")
        let inbox = try open()
        #expect(try inbox.read(10, at: now) == ReportBatch())
        #expect(rename("\(directory.path)/.b.json", "\(directory.path)/b.json") == 0)
        #expect(try inbox.read(10, at: now).refused.map(\.name) == ["\"b.json\""])
    }

    @Test func hundredsOfHiddenFilesAndDirectoriesAreACrowdInWhichReportsAreFound() throws {
        for number in 0..<300 {
            try directory.write(".\(number)", "")
            #expect(mkdir("\(directory.path)/\(number)", 0o700) == 0)
        }
        try put("a.json")
        let inbox = try open()
        let batch = try inbox.read(1, at: now)
        #expect(batch.isCrowded && batch.reports.count == 1)
        for number in 0..<300 { #expect(unlink("\(directory.path)/.\(number)") == 0) }
        #expect(try !inbox.read(1, at: now).isCrowded)
    }

    @Test func whatIsNoReportIsSetAsideAndToldWithItsReason() throws {
        try put("future.json", until: "2025-11-19T11:05:00Z")
        let batch = try open().read(10, at: now)
        #expect(batch.reports.isEmpty && batch.refusals == 1)
        #expect(batch.refused.map(\.reason) == ["of the future: 2025-11-19T11:05:00Z"])
        #expect(try names() == ["rejected"] && names(in: "rejected") == ["0.json"])
    }

    @Test func aSocketIsNoReport() throws {
        let bell = try #require(BellSocket("\(directory.path)/socket.json", groupOf: directory.path))
        #expect(try open().read(10, at: now).refused.map(\.reason) == ["not a regular file, deleted"])
        #expect(bell.descriptor >= 0)
    }

    /// Another user could make it, and have what is set aside.
    @Test func aLinkInPlaceOfTheDirectoryForWhatIsSetAsideIsNotFollowed() throws {
        let outside = try TemporaryDirectory()
        #expect(symlink(outside.path, "\(directory.path)/rejected") == 0)
        try directory.write("bad.json", "no")
        _ = try open().read(1, at: now)
        _ = try open().read(10, at: now)
        #expect(rmdir(outside.path) == 0, "it is empty")
        #expect(mkdir(outside.path, 0o700) == 0)
    }

    @Test func aNameThatIsNoTextIsTakenAsItIs() throws {
        var path = Array("\(directory.path)/".utf8)
        path += [0xFF, 0xFE, 0x0A]
        path += Array(".json".utf8)
        path.append(0)
        let file = Glibc.open(path.map { CChar(bitPattern: $0) }, O_WRONLY | O_CREAT, 0o644)
        #expect(file >= 0)
        close(file)
        #expect(try open().read(10, at: now).refusals == 1)
        #expect(try names() == ["rejected"])
    }

    @Test func oneThatMayNotBeReadIsSetAside() throws {
        guard geteuid() != 0 else { return }
        try directory.write("a.json", "{}", mode: 0o200)
        #expect(try open().read(10, at: now).refused.map(\.reason) == ["may not be read; its group needs mode 0640"])
    }

    /// While the store takes nothing, files wait in the folder and not in memory.
    @Test func noMoreIsReadThanMayWait() throws {
        for number in 0..<30 { try put("\(number).json") }
        let inbox = try open()
        #expect(try inbox.read(20, at: now).reports.count == 20)
        let more = try inbox.read(20, at: now)
        #expect(more.reports.isEmpty && !more.hasMore)
        try inbox.removeRead()
        #expect(try inbox.read(20, at: now).reports.count == 10)
    }

    @Test func aFolderThatIsNotThereIsAbsent() throws {
        #expect(throws: InboxError.absent) { try CompanionInbox(directory.path + "/none", bell: nil) }
        try directory.write("file", "")
        #expect(throws: InboxError.absent) { try CompanionInbox(directory.path + "/file", bell: nil) }
    }

    @Test func theBellIsRungByAnythingAndCarriesNothing() throws {
        let path = directory.path + "/bell"
        let inbox = try open(bell: path)
        let bell = try #require(inbox.bell)
        var status = stat()
        #expect(stat(path, &status) == 0 && status.st_mode & 0o7777 == 0o620)
        let sender = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
        defer { close(sender) }
        let address = try #require(UnixAddress(path))
        #expect(address.with { Int32(sendto(sender, [UInt8](repeating: 7, count: 900), 900, 0, $0, $1)) } == 900)
        var poll = pollfd(fd: bell, events: Int16(POLLIN), revents: 0)
        #expect(Glibc.poll(&poll, 1, 0) == 1)
        inbox.silenceBell()
        #expect(Glibc.poll(&poll, 1, 0) == 0)
        _ = try open(bell: path)
        #expect(stat(path, &status) == 0, "an earlier socket gives way")
    }
}
