/// A piece of a page: well-formed, whatever it says. Text gets into it escaped, and in no other way.
struct HTML: ExpressibleByStringInterpolation {
    let text: String

    /// Text, of strangers too.
    init(_ text: String) { self.text = Self.escaped(text) }

    private init(markup: String) { text = markup }

    init(stringLiteral text: String) { self.init(text) }

    /// An element. Names are of the program alone.
    static func element(
        _ name: String, _ attributes: KeyValuePairs<String, String> = [:], _ contents: [HTML] = []
    ) -> HTML {
        var text = "<\(name)"
        for (key, value) in attributes { text += " \(key)=\"\(Self.escaped(value))\"" }
        if contents.isEmpty, Self.isEmpty(name) {
            text += "/>"
        } else {
            text += ">"
            for content in contents { text += content.text }
            text += "</\(name)>"
        }
        return HTML(markup: text)
    }

    static func element(_ name: String, _ attributes: KeyValuePairs<String, String>, _ content: HTML) -> HTML {
        element(name, attributes, [content])
    }

    static func element(_ name: String, _ contents: [HTML]) -> HTML { element(name, [:], contents) }

    static func element(_ name: String, _ content: HTML) -> HTML { element(name, [:], [content]) }

    /// A whole document.
    static func document(_ root: HTML) -> String { "<!DOCTYPE html>\n\(root.text)\n" }

    /// Elements that have no end tag, in HTML or in the SVG within it.
    private static func isEmpty(_ name: String) -> Bool { name == "meta" || name == "path" }

    /// Without the five characters that mean something to a parser, and without those that no document may have.
    private static func escaped(_ text: String) -> String {
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result.append(contentsOf: "&amp;".unicodeScalars)
            case "<": result.append(contentsOf: "&lt;".unicodeScalars)
            case ">": result.append(contentsOf: "&gt;".unicodeScalars)
            case "\"": result.append(contentsOf: "&quot;".unicodeScalars)
            case "'": result.append(contentsOf: "&#39;".unicodeScalars)
            case "\n": result.append(scalar)
            default: result.append(isAllowed(scalar) ? scalar : "\u{FFFD}")
            }
        }
        return String(result)
    }

    /// Neither a control character nor one that Unicode reserves for programs.
    private static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
        let isControl = scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value)
        let isReserved = (0xFDD0...0xFDEF).contains(scalar.value) || scalar.value & 0xFFFE == 0xFFFE
        return !isControl && !isReserved
    }
}

extension HTML {
    /// A name that somebody else chose: its direction of writing ends with it.
    static func name(_ text: String) -> HTML { HTML.element("bdi", HTML(text)) }

    /// A picture in a box of `width` by `height` units, stretched to the room that it gets, with what it shows in words.
    ///
    /// - Parameters:
    ///   - style: its class in the style sheet.
    ///   - number: tells it from the others of the class.
    static func picture(
        _ style: String, _ number: Int, _ box: (width: Int, height: Int), title: String, description: String,
        _ shapes: [HTML]
    ) -> HTML {
        let id = "\(style.prefix(1))\(number)"
        return HTML.element(
            "svg",
            [
                "role": "img", "viewBox": "0 0 \(box.width) \(box.height)", "preserveAspectRatio": "none",
                "aria-labelledby": "t\(id) d\(id)", "class": style,
            ],
            [
                HTML.element("title", ["id": "t\(id)"], HTML(title)),
                HTML.element("desc", ["id": "d\(id)"], HTML(description)),
            ] + shapes)
    }

    /// A table whose rows fold up where there is little room. Each cell has the title of its column, for readers of the folded
    /// rows; the first is the head of its row.
    static func table(_ caption: HTML, _ titles: [String], _ rows: [[HTML]]) -> HTML {
        let head = HTML.element(
            "tr", ["role": "row"],
            titles.map { HTML.element("th", ["role": "columnheader", "scope": "col"], HTML($0)) })
        let body = rows.map { cells in
            HTML.element(
                "tr", ["role": "row"],
                zip(titles, cells).enumerated().map { index, cell in
                    index == 0
                        ? HTML.element("th", ["role": "rowheader", "scope": "row"], cell.1)
                        : HTML.element("td", ["data-title": cell.0], cell.1)
                })
        }
        return HTML.element(
            "table", ["role": "table", "class": titles.count > 4 ? "wide" : "narrow"],
            [
                HTML.element("caption", caption), HTML.element("thead", ["role": "rowgroup"], head),
                HTML.element("tbody", ["role": "rowgroup"], body),
            ])
    }

    /// A part that is folded away until somebody wants it.
    /// A part of the page under a heading, by whose `id` it is known.
    static func section(_ id: String, _ title: String, _ contents: [HTML]) -> HTML {
        .element("section", ["aria-labelledby": id], [.element("h2", ["id": id], HTML(title))] + contents)
    }

    static func details(_ summary: HTML, _ content: HTML) -> HTML {
        HTML.element("details", [HTML.element("summary", summary), content])
    }
}
