import Foundation
import Testing

@testable import anicca_receiver

@Suite struct ListeningSocketTests {
    private let path = FileManager.default.temporaryDirectory.appending(path: "listens-\(UUID().uuidString)").path

    @Test func aFileThatIsNoSocketStays() throws {
        defer { unlink(path) }
        try Data("mine".utf8).write(to: URL(fileURLWithPath: path))
        let stop = #expect(throws: Stop.self) { try ListeningSocket(.unix(path)) }
        #expect(stop?.code == .unavailable && stop?.description.contains("no socket") == true)
        #expect(FileManager.default.contents(atPath: path) == Data("mine".utf8))
    }

    @Test func aSocketIsNotTakenFromAProgramThatListens() throws {
        defer { unlink(path) }
        let first = try ListeningSocket(.unix(path))
        let stop = #expect(throws: Stop.self) { try ListeningSocket(.unix(path)) }
        #expect(stop?.description.contains("a program listens there") == true)
        close(first.descriptor)
        let second = try ListeningSocket(.unix(path))
        close(second.descriptor)
    }
}
