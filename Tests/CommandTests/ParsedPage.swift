import Foundation
import Testing

#if canImport(FoundationXML)
import FoundationXML
#endif

/// A page that was read as XML, which refuses whatever is not well-formed.
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

    let root: Element

    init(_ text: String) throws {
        let reader = Reader()
        let parser = XMLParser(data: Data(text.utf8))
        parser.delegate = reader
        try #require(parser.parse(), "\(String(describing: parser.parserError)), line \(parser.lineNumber)")
        root = try #require(reader.root)
    }

    /// The section whose heading has the id.
    func section(_ id: String) throws -> Element {
        try #require(root.all("section").first { $0.attributes["aria-labelledby"] == id })
    }

    private final class Reader: NSObject, XMLParserDelegate {
        var root: Element?
        private var open: [Element] = []

        func parser(
            _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
            attributes: [String: String]
        ) {
            let element = Element(name, attributes)
            if let parent = open.last { parent.children.append(element) } else { root = element }
            open.append(element)
        }

        func parser(
            _ parser: XMLParser, didEndElement name: String, namespaceURI: String?, qualifiedName: String?
        ) {
            open.removeLast()
        }

        func parser(_ parser: XMLParser, foundCharacters text: String) {
            for element in open { element.text += text }
        }
    }
}
