import Foundation
import Testing

@testable import anicca_receiver

@Suite struct ListeningSocketTests {
    private let path = FileManager.default.temporaryDirectory.appending(path: "listens-\(UUID().uuidString)").path

    @Test func aFileThatIsNoSocketStays() throws {
        defer { unlink(path) }
        try Data("mine".utf8).write(to: URL(fileURLWithPath: path))
        #expect {
            try ListeningSocket(.unix(path))
        } throws: { error in
            guard let stop = error as? Stop else { return false }
            return stop.code == .unavailable && stop.description.contains("is not a socket")
        }
        #expect(FileManager.default.contents(atPath: path) == Data("mine".utf8))
    }

    @Test func aSocketIsNotTakenFromAProgramThatListens() throws {
        defer { unlink(path) }
        let first = try ListeningSocket(.unix(path))
        #expect {
            try ListeningSocket(.unix(path))
        } throws: { error in
            (error as? Stop)?.description.contains("a program listens there") == true
        }
        // A program that another test is just starting may hold the socket too, until its exec.
        shutdown(first.descriptor, Int32(SHUT_RDWR))
        close(first.descriptor)
        let second = try ListeningSocket(.unix(path))
        close(second.descriptor)
    }
}
