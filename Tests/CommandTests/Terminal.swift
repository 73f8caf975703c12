import Foundation
import Testing

/// The real `anicca` on a terminal of its own, which script(1) makes, with a scripted person at its other end.
final class Terminal {
    private let process = Process()
    private let keyboard = Pipe()
    private let screen = Pipe()
    /// All text shown so far, typed text included.
    private(set) var shown = ""
    private var unread = ""

    init(_ arguments: [String]) throws {
        let words = ([AniccaProgram.programURL.path] + arguments).map { "'\($0)'" }
        process.executableURL = URL(fileURLWithPath: "/usr/bin/script")
        // Instead of the shell, so that Ctrl-C interrupts only the program.
        process.arguments = ["-qec", "exec " + words.joined(separator: " "), "/dev/null"]
        process.standardInput = keyboard
        process.standardOutput = screen
        try withoutBlockedSignals { try process.run() }
    }

    deinit { if process.isRunning { process.terminate() } }

    /// Reads on until `text` is shown, after the text of the previous wait.
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

    /// The kernel's status of the program that runs there (proc_pid_status(5)): the words of each line by its title.
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

    /// Waits for the program's end and returns its exit status, or 128 plus the signal that ended it.
    func end() -> Int32 {
        while readOn() {}
        // A program that is silent but still running is ended: the test is over.
        if process.isRunning { process.terminate() }
        process.waitUntilExit()
        return process.terminationStatus
    }

    /// Reads more output. Returns false when the program has ended, or was silent for a minute.
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

/// Runs `body` with no signal blocked: a program inherits the blocked signals of the thread that starts it, and the
/// threads of a test run block most.
private func withoutBlockedSignals(_ body: () throws -> Void) rethrows {
    var none = sigset_t()
    var before = sigset_t()
    sigemptyset(&none)
    pthread_sigmask(SIG_SETMASK, &none, &before)
    defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
    try body()
}
