import Foundation
import Testing

/// The real `anicca`, built beside the tests.
enum AniccaProgram {
    struct Outcome {
        let status: Int32
        let output: String
        let messages: String

        var lines: [String] { output.split(separator: "\n").map(String.init) }

        /// The output as one JSON value.
        func json<Value>(_: Value.Type = Value.self) throws -> Value {
            try #require(try JSONSerialization.jsonObject(with: Data(output.utf8)) as? Value)
        }

        /// Every line of the output as a JSON object.
        func jsonLines() throws -> [[String: Any]] {
            try lines.map { try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any]) }
        }
    }

    /// Runs it to its end.
    ///
    /// - Parameter heedsModes: whether the modes of files bind it also where the tests run as root, whom the kernel lets
    ///   pass.
    /// - Parameter input: what it reads, less than a pipe holds.
    static func run(_ arguments: [String], heedsModes: Bool = false, input: Data? = nil) throws -> Outcome {
        let process = process(arguments, heedsModes: heedsModes)
        if let input {
            let pipe = Pipe()
            pipe.fileHandleForWriting.write(input)
            pipe.fileHandleForWriting.closeFile()
            process.standardInput = pipe
        }
        return try run(process)
    }

    /// Runs `anicca-lab` to its end.
    static func runLab(_ arguments: [String]) throws -> Outcome { try run(arguments, of: "anicca-lab") }

    static func run(_ arguments: [String], of program: String) throws -> Outcome {
        let process = process(arguments, heedsModes: false)
        process.executableURL = url(of: program)
        return try run(process)
    }

    private static func run(_ process: Process) throws -> Outcome {
        let output = Pipe()
        let messages = Pipe()
        process.standardOutput = output
        process.standardError = messages
        try process.run()
        // The standard error output is always far less than a pipe holds.
        let text = output.fileHandleForReading.readDataToEndOfFile()
        let complaint = messages.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return Outcome(
            status: process.terminationStatus, output: String(decoding: text, as: UTF8.self),
            messages: String(decoding: complaint, as: UTF8.self))
    }

    /// Runs it on a terminal of its own, which script(1) makes, and returns its output there.
    static func runOnTerminal(_ arguments: [String], environment: [String: String]) throws -> String {
        let words = ["-u", "NO_COLOR"] + environment.map { "\($0)=\($1)" }
        return try onTerminal(([programURL.path] + arguments).joined(separator: " "), words)
    }

    /// The lines that a program shows on a terminal of so many columns, without what sets colours.
    ///
    /// - Parameter variable: the value of `COLUMNS`; nil leaves it unset.
    static func linesOnTerminal(
        _ arguments: [String], of program: String = "anicca", columns: Int, variable: String? = nil
    ) throws -> [String] {
        let command = ([url(of: program).path] + arguments).joined(separator: " ")
        let shown = try onTerminal(
            // Standard error is no part of the tables, and its progress overwrites itself.
            "stty cols \(columns) && exec \(command) 2>/dev/null",
            ["-u", "COLUMNS", "NO_COLOR=1"] + (variable.map { ["COLUMNS=\($0)"] } ?? []))
        return shown.components(separatedBy: "\r\n").filter { !$0.isEmpty }
    }

    /// - Parameter environment: words of env(1).
    private static func onTerminal(_ command: String, _ environment: [String]) throws -> String {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = environment + ["script", "-qec", command, "/dev/null"]
        let output = Pipe()
        process.standardOutput = output
        process.standardInput = FileHandle.nullDevice
        try process.run()
        let shown = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return String(decoding: shown, as: UTF8.self)
    }

    private static func process(_ arguments: [String], heedsModes: Bool) -> Process {
        let process = Process()
        if heedsModes, geteuid() == 0 {
            process.executableURL = URL(fileURLWithPath: "/usr/bin/setpriv")
            process.arguments = ["--bounding-set=-dac_override,-dac_read_search", programURL.path] + arguments
        } else {
            process.executableURL = programURL
            process.arguments = arguments
        }
        return process
    }

    static var programURL: URL { url(of: "anicca") }

    private static func url(of program: String) -> URL {
        URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
            .appendingPathComponent(program)
    }
}
