import Foundation
import Testing

/// The real `anicca` on a terminal of its own, which script(1) makes, with somebody who reads and types at its other end.
final class Terminal {
    private let process = Process()
    private let keyboard = Pipe()
    private let screen = Pipe()
    /// All that was shown so far; what is typed is among it.
    private(set) var shown = ""
    private var unread = ""

    init(_ arguments: [String]) throws {
        let words = ([AniccaProgram.programURL.path] + arguments).map { "'\($0)'" }
        process.executableURL = URL(fileURLWithPath: "/usr/bin/script")
        // Instead of the shell, so that nobody but the program is interrupted by Ctrl-C.
        process.arguments = ["-qec", "exec " + words.joined(separator: " "), "/dev/null"]
        process.standardInput = keyboard
        process.standardOutput = screen
        try withoutBlockedSignals { try process.run() }
    }

    deinit { if process.isRunning { process.terminate() } }

    /// Reads on until `text` is shown, after whatever was waited for before.
    func wait(for text: String) throws {
        while true {
            if let range = unread.range(of: text) {
                unread = String(unread[range.upperBound...])
                return
            }
            guard readOn() else {
                Issue.record("\"\(text)\" was never shown, but: \(shown)")
                throw POSIXError(.ENODATA)
            }
        }
    }

    /// What the kernel says of the program that runs there (proc_pid_status(5)): the words of each line by its title.
    func processStatus() throws -> [String: [String]] {
        let script = process.processIdentifier
        let child = try String(contentsOfFile: "/proc/\(script)/task/\(script)/children", encoding: .utf8)
            .trimmingCharacters(in: .whitespaces)
        var status: [String: [String]] = [:]
        for line in try String(contentsOfFile: "/proc/\(child)/status", encoding: .utf8).split(separator: "\n") {
            let words = line.split(whereSeparator: \.isWhitespace).map(String.init)
            if let title = words.first?.dropLast() { status[String(title)] = Array(words.dropFirst()) }
        }
        return status
    }

    /// Types, without an Enter key at the end.
    func type(_ text: String) throws { try keyboard.fileHandleForWriting.write(contentsOf: Data(text.utf8)) }

    /// Waits for the program's end and gives back its exit status; 128 and the signal where one ended it.
    func end() -> Int32 {
        while readOn() {}
        // Where it is silent but still there, the test is over all the same.
        if process.isRunning { process.terminate() }
        process.waitUntilExit()
        return process.terminationStatus
    }

    /// False when the program has ended, or is silent for so long that it hangs.
    private func readOn() -> Bool {
        let reader = screen.fileHandleForReading
        var descriptor = pollfd(fd: reader.fileDescriptor, events: Int16(POLLIN), revents: 0)
        guard poll(&descriptor, 1, 60_000) == 1 else { return false }
        let bytes = reader.availableData
        let text = String(decoding: bytes, as: UTF8.self)
        shown += text
        unread += text
        return !bytes.isEmpty
    }
}

/// A program inherits which signals the thread that starts it has blocked, and the threads of a test run block most.
private func withoutBlockedSignals(_ body: () throws -> Void) rethrows {
    var none = sigset_t()
    var before = sigset_t()
    sigemptyset(&none)
    pthread_sigmask(SIG_SETMASK, &none, &before)
    defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
    try body()
}
