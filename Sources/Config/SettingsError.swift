import System

/// The reasons why the configuration cannot be used: all its faults, not only the first.
public struct SettingsError: Error, Hashable, Sendable {
    /// Never empty; in the order of the files and of their lines.
    public let problems: [SettingProblem]

    /// `noInput` when a file could not be read, else `configuration`.
    public var exitCode: ExitCode { problems.contains(where: \.isUnreadable) ? .noInput : .configuration }
}

/// One fault of the configuration.
public struct SettingProblem: Hashable, Sendable {
    /// The file.
    public let path: String
    /// The line, counted from 1; nil for a problem of the file as a whole.
    public let line: Int?
    /// The fault, and the allowed values.
    public let message: String
    /// The file could not be read.
    let isUnreadable: Bool

    init(path: String, line: Int?, _ message: String, isUnreadable: Bool = false) {
        self.path = path
        self.line = line
        self.message = message
        self.isUnreadable = isUnreadable
    }
}

extension SettingProblem: CustomStringConvertible {
    public var description: String {
        let place = line.map { "\(path):\($0)" } ?? path
        return "\(place): \(message)"
    }
}

extension SettingsError: CustomStringConvertible {
    /// One line for each problem.
    public var description: String { problems.map(\.description).joined(separator: "\n") }
}
