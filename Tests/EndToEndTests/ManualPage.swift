import Foundation

/// A page of `deploy/man` as its lines of mdoc(7), with hyphens unescaped.
struct ManualPage {
    private let lines: [String]

    init(_ name: String) throws {
        let page = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../deploy/man/\(name)").standardized
        lines = try String(contentsOf: page, encoding: .utf8).replacing("\\-", with: "-").components(separatedBy: "\n")
    }

    /// The lines below a title; empty when there is no such section.
    func section(_ title: String) -> [String] {
        guard let start = lines.firstIndex(of: ".Sh \(title)") else { return [] }
        return Array(lines[(start + 1)...].prefix { !$0.hasPrefix(".Sh ") })
    }

    /// The long options that have an entry of their own below OPTIONS.
    var explainedOptions: Set<String> { Self.options(in: section("OPTIONS").filter { $0.hasPrefix(".It ") }) }

    /// The long options of all synopses that begin with the given words; without words, of those of the page's name.
    func synopsisOptions(of words: String = "") -> Set<String> {
        let entries = section("SYNOPSIS").joined(separator: "\n").components(separatedBy: ".Nm")
        let beginning = words.isEmpty ? "\n" : " \(words)\n"
        return Self.options(in: entries.filter { $0.hasPrefix(beginning) })
    }

    /// The codes that have an entry below EXIT STATUS.
    var exitCodes: Set<Int> {
        Set(section("EXIT STATUS").compactMap { $0.hasPrefix(".It ") ? Int($0.dropFirst(4)) : nil })
    }

    /// `Fl -config` in mdoc is `--config` to the reader.
    private static func options(in texts: [String]) -> Set<String> {
        Set(texts.flatMap { $0.matches(of: /Fl (-[a-z-]+)/).map { "-\($0.1)" } })
    }
}
