import CINIH

/// The entries of one configuration file, line by line, before their keys are looked up.
///
/// libinih reads the sections, keys, comments and values. This type adds the faults that the library does not report:
/// lines too long for its buffer, bytes that are not text, and all bad lines after the first.
struct ConfigFile {
    struct Entry: Hashable {
        let section: String
        let key: String
        let value: String
        let line: Int
    }

    /// Larger files are refused.
    static let largest = 64 * 1024
    /// The most passes over a file in search of bad lines.
    private static let mostBadLines = 20

    let path: String
    private(set) var entries: [Entry] = []
    private(set) var problems: [SettingProblem] = []

    init(path: String, bytes: [UInt8]) {
        self.path = path
        var lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map(trimmed)
        blankWhatIsNotText(&lines)
        parse(&lines)
        problems.sort { ($0.line ?? 0) < ($1.line ?? 0) }
    }

    private mutating func blankWhatIsNotText(_ lines: inout [ArraySlice<UInt8>]) {
        for index in lines.indices where !isText(lines[index]) {
            report(index + 1, "not text: only UTF-8 without control characters is allowed")
            lines[index] = []
        }
    }

    /// The library reports only the first bad line. So that line is blanked, and the file is parsed again.
    private mutating func parse(_ lines: inout [ArraySlice<UInt8>]) {
        for _ in 0..<ConfigFile.mostBadLines {
            let pass = ParserPass(lines)
            let badLine = pass.run()
            entries = pass.entries
            for line in pass.overlong {
                report(line, "too long: a line may have at most \(pass.longestLine) bytes")
                lines[line - 1] = []
            }
            guard badLine != 0 else { return }
            guard lines.indices.contains(badLine - 1) else {
                problems.append(SettingProblem(path: path, line: nil, "cannot be parsed: not enough memory"))
                return
            }
            report(badLine, "neither [section] nor key = value: \(quoted(lines[badLine - 1]))")
            lines[badLine - 1] = []
        }
    }

    private mutating func report(_ line: Int, _ message: String) {
        problems.append(SettingProblem(path: path, line: line, message))
    }
}

/// One run of libinih over a file. A class, because the library carries a pointer to it through its callbacks.
private final class ParserPass {
    private let lines: [ArraySlice<UInt8>]
    private var line = 0
    private(set) var entries: [ConfigFile.Entry] = []
    private(set) var overlong: [Int] = []
    /// The library's limit on the length of a line, in bytes.
    private(set) var longestLine = 0

    init(_ lines: [ArraySlice<UInt8>]) { self.lines = lines }

    /// The first line that the library could not read; 0 for none; negative if out of memory.
    func run() -> Int {
        let context = Unmanaged.passUnretained(self).toOpaque()
        return Int(ini_parse_stream(readLine, context, takeEntry, context))
    }

    /// Puts the next line into `buffer` as fgets(3) would. False at the end.
    func next(into buffer: UnsafeMutableBufferPointer<UInt8>) -> Bool {
        guard line < lines.count else { return false }
        longestLine = buffer.count - 2
        var text = lines[line]
        line += 1
        if text.count > longestLine {
            overlong.append(line)
            text = []
        }
        _ = buffer.update(fromContentsOf: text + [UInt8(ascii: "\n"), 0])
        return true
    }

    func take(section: String, key: String, value: String) {
        entries.append(ConfigFile.Entry(section: section, key: key, value: value, line: line))
    }
}

private let readLine: ini_reader = { buffer, size, context in
    guard let buffer, let context, size > 2 else { return nil }
    let pass = Unmanaged<ParserPass>.fromOpaque(context).takeUnretainedValue()
    return buffer.withMemoryRebound(to: UInt8.self, capacity: Int(size)) { bytes in
        pass.next(into: UnsafeMutableBufferPointer(start: bytes, count: Int(size)))
    } ? buffer : nil
}

private let takeEntry: ini_handler = { context, section, key, value in
    guard let context, let section, let key, let value else { return 0 }
    let pass = Unmanaged<ParserPass>.fromOpaque(context).takeUnretainedValue()
    pass.take(section: String(cString: section), key: String(cString: key), value: String(cString: value))
    return 1
}

/// The line without leading blanks, which would make it a continuation of the previous line for the library, and
/// without a carriage return at the end.
private func trimmed(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    let text = line.drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
    return text.last == UInt8(ascii: "\r") ? text.dropLast() : text
}

private func isText(_ line: ArraySlice<UInt8>) -> Bool {
    line.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == UInt8(ascii: "\t") }
        && String(validating: line, as: UTF8.self) != nil
}

private func quoted(_ line: ArraySlice<UInt8>) -> String { "\"\(String(decoding: line, as: UTF8.self))\"" }
