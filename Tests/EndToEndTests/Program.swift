import Foundation
import Testing

/// A program of this package, as a process of its own.
final class Program {
    private let process = Process()
    private let output = Pipe()
    private let messages = Pipe()

    struct NotBuilt: Error, CustomStringConvertible {
        let description: String
    }

    /// - Parameters:
    ///   - keepsMessages: whether its standard error is read through `message(containing:)`.
    ///   - heedsModes: whether the modes of files bind it also where the tests run as root, whom the kernel lets pass.
    ///   - environment: added to that of the tests.
    init(
        _ name: String, _ arguments: [String], keepsMessages: Bool = false, heedsModes: Bool = false,
        environment: [String: String] = [:]
    ) throws {
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        if keepsMessages { process.standardError = messages }
        let program = try Self.path(of: name)
        if heedsModes, geteuid() == 0 {
            process.executableURL = URL(filePath: "/usr/bin/setpriv")
            process.arguments = ["--bounding-set=-dac_override,-dac_read_search", program.path] + arguments
        } else {
            process.executableURL = program
            process.arguments = arguments
        }
        process.standardOutput = output
        process.standardInput = FileHandle.nullDevice
        try process.run()
    }

    deinit { kill() }

    /// Runs a program to its end.
    static func run(
        _ name: String, _ arguments: [String], environment: [String: String] = [:]
    ) throws -> (status: Int32, lines: [String]) {
        let program = try Program(name, arguments, environment: environment)
        let text = String(decoding: program.output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        return (program.wait(), text.split(separator: "\n").map(String.init))
    }

    var isRunning: Bool { process.isRunning }

    /// The first line that it prints.
    func firstLine() -> String { line(from: output) ?? "" }

    /// The next of the lines that it prints that contains a text; nil when it ends without one.
    func line(containing text: String) -> String? {
        while let line = line(from: output) {
            if line.contains(text) { return line }
        }
        return nil
    }

    /// The next of its messages that contains a text; nil when it ends without one.
    func message(containing text: String) -> String? {
        while let line = line(from: messages) {
            if line.contains(text) { return line }
        }
        return nil
    }

    func signal(_ number: Int32) { Foundation.kill(process.processIdentifier, number) }

    private func line(from pipe: Pipe) -> String? {
        var bytes = Data()
        while let byte = try? pipe.fileHandleForReading.read(upToCount: 1), !byte.isEmpty {
            if byte[0] == 0x0A { return String(decoding: bytes, as: UTF8.self) }
            bytes += byte
        }
        return bytes.isEmpty ? nil : String(decoding: bytes, as: UTF8.self)
    }

    func wait() -> Int32 {
        process.waitUntilExit()
        return process.terminationStatus
    }

    /// Asks it to end, which it is to do without a failure.
    func stop() {
        signal(SIGTERM)
        #expect(wait() == 0)
    }

    /// Ends it as a power cut would: at once.
    func kill() {
        guard process.isRunning else { return }
        Foundation.kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    /// The products lie beside the program of the tests.
    private static func path(of name: String) throws -> URL {
        let program = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
            .appending(path: name)
        guard FileManager.default.isExecutableFile(atPath: program.path) else {
            throw NotBuilt(description: "\(name) is not beside the tests: run swift build first")
        }
        return program
    }
}
