import Testing

/// A page that was read as strictly as XML is: every element ends, attributes are quoted, and an ampersand begins one of five names.
struct ParsedPage {
    final class Element {
        let name: String
        let attributes: [String: String]
        fileprivate(set) var children: [Element] = []
        fileprivate(set) var text = ""

        init(_ name: String, _ attributes: [String: String]) {
            self.name = name
            self.attributes = attributes
        }

        /// Those below it with the name, in the order of the page.
        func all(_ name: String) -> [Element] {
            children.flatMap { ($0.name == name ? [$0] : []) + $0.all(name) }
        }

        /// Every element below it.
        var everything: [Element] { children.flatMap { [$0] + $0.everything } }
    }

    struct Malformed: Error {
        let problem: String
        /// The text behind it.
        let rest: String
    }

    let root: Element

    init(_ text: String) throws {
        let doctype = "<!DOCTYPE html>\n"
        guard text.hasPrefix(doctype) else { throw Malformed(problem: "no document type", rest: "") }
        var reader = Reader(rest: text.unicodeScalars.dropFirst(doctype.unicodeScalars.count))
        root = try reader.document()
    }

    /// The section whose heading has the id.
    func section(_ id: String) throws -> Element {
        try #require(root.all("section").first { $0.attributes["aria-labelledby"] == id })
    }
}

private struct Reader {
    var rest: Substring.UnicodeScalarView
    private var open: [ParsedPage.Element] = []

    private static let entities: [String: Unicode.Scalar] = [
        "amp": "&", "lt": "<", "gt": ">", "quot": "\"", "#39": "'",
    ]

    init(rest: Substring.UnicodeScalarView) { self.rest = rest }

    mutating func document() throws -> ParsedPage.Element {
        guard let root = try element() else { throw malformed("no root") }
        while let parent = open.last {
            let text = try text(upTo: "<")
            for element in open { element.text += text }
            if take("</") {
                guard try name() == parent.name, take(">") else { throw malformed("not the end of \(parent.name)") }
                open.removeLast()
            } else {
                guard let child = try element() else { throw malformed("an element was expected") }
                parent.children.append(child)
            }
        }
        guard take("\n"), rest.isEmpty else { throw malformed("something behind the root") }
        return root
    }

    /// The start of an element, which is open from now on unless it is empty.
    private mutating func element() throws -> ParsedPage.Element? {
        guard take("<") else { return nil }
        let name = try name()
        var attributes: [String: String] = [:]
        while take(" ") {
            let key = try self.name()
            guard take("=\""), attributes[key] == nil else { throw malformed("attribute \(key)") }
            attributes[key] = try text(upTo: "\"")
            guard take("\"") else { throw malformed("no end of \(key)") }
        }
        let element = ParsedPage.Element(name, attributes)
        if take("/>") { return element }
        guard take(">") else { throw malformed("no end of the tag \(name)") }
        open.append(element)
        return element
    }

    private mutating func name() throws -> String {
        let name = rest.prefix { $0.properties.isAlphabetic || ("0"..."9").contains($0) || $0 == "-" }
        guard name.first?.properties.isAlphabetic == true else { throw malformed("no name") }
        rest = rest.dropFirst(name.count)
        return String(name)
    }

    private mutating func text(upTo end: Unicode.Scalar) throws -> String {
        var text = String.UnicodeScalarView()
        while let scalar = rest.first, scalar != end {
            rest = rest.dropFirst()
            switch scalar {
            case "&":
                let entity = rest.prefix { $0 != ";" }
                guard let meant = Self.entities[String(entity)] else { throw malformed("an ampersand") }
                rest = rest.dropFirst(entity.count + 1)
                text.append(meant)
            case "<", ">": throw malformed("\(scalar) in text")
            default:
                guard scalar.value >= 0x20 || scalar == "\n" else { throw malformed("a control character") }
                text.append(scalar)
            }
        }
        return String(text)
    }

    private mutating func take(_ word: String) -> Bool {
        guard rest.starts(with: word.unicodeScalars) else { return false }
        rest = rest.dropFirst(word.unicodeScalars.count)
        return true
    }

    private func malformed(_ problem: String) -> ParsedPage.Malformed {
        ParsedPage.Malformed(problem: problem, rest: String(rest.prefix(60)))
    }
}
