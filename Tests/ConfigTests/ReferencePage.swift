import Foundation
import TestFiles
import Testing

/// A page with a part that is made from the table of keys.
struct ReferencePage: CustomTestStringConvertible {
    /// In the project.
    let path: String
    /// The part begins behind this, and ends before that or, without one, with the page.
    let beginning: String
    let end: String?
    /// What the part has to be.
    let part: String

    static let all = [
        ReferencePage(path: "deploy/anicca.conf", beginning: "\n\n", end: nil, part: defaultFileKeys),
        ReferencePage(
            path: "deploy/man/anicca.conf.5",
            beginning: #".\" What follows is made from the table of keys, up to the mark below: make config-pages."#
                + "\n",
            end: #".\" End of the table of keys."#, part: manualKeys),
        ReferencePage(
            path: "docs/configuration.md",
            beginning: "<!-- What follows is made from the table of keys: make config-pages. -->\n", end: nil,
            part: pageKeys),
    ]

    var testDescription: String { path }

    var committed: String {
        get throws { try String(contentsOf: projectFile(path), encoding: .utf8) }
    }

    /// The page with its part as it has to be; nil where it lacks the marks.
    func made(from page: String) -> String? {
        guard let start = page.range(of: beginning) else { return nil }
        guard let end else { return String(page[..<start.upperBound]) + part }
        guard let rest = page.range(of: end, range: start.upperBound..<page.endIndex) else { return nil }
        return String(page[..<start.upperBound]) + part + String(page[rest.lowerBound...])
    }

    func write(_ page: String) throws {
        try page.write(to: projectFile(path), atomically: true, encoding: .utf8)
    }
}
