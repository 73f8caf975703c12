/// A fragment of a page, always well-formed. Text can only be added escaped.
struct HTML: ExpressibleByStringInterpolation {
    let text: String

    /// Text, which may be untrusted.
    init(_ text: String) { self.text = Self.escaped(text) }

    private init(markup: String) { text = markup }

    init(stringLiteral text: String) { self.init(text) }

    /// An element. Names come only from the program.
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

    /// Elements without an end tag, in HTML or in the SVG within it.
    private static func isEmpty(_ name: String) -> Bool { name == "meta" || name == "path" }

    /// Escapes the five special characters, and removes characters that a document must not contain.
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

    /// Neither a control character nor a Unicode noncharacter.
    private static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
        let isControl = scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value)
        let isReserved = (0xFDD0...0xFDEF).contains(scalar.value) || scalar.value & 0xFFFE == 0xFFFE
        return !isControl && !isReserved
    }
}

extension HTML {
    /// A name chosen by others, isolated so that its writing direction does not affect the text around it.
    static func name(_ text: String) -> HTML { HTML.element("bdi", HTML(text)) }

    /// A picture with a coordinate system of `width` by `height` units, scaled to the available room, and with a text
    /// alternative.
    ///
    /// - Parameters:
    ///   - style: its class in the style sheet.
    ///   - number: distinguishes it from the others of the class.
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

    /// A table whose rows fold up on narrow screens. Each cell has the title of its column, for the folded rows; the
    /// first cell is the row's heading.
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

    /// A part of the page under a heading, identified by `id`.
    static func section(_ id: String, _ title: String, _ contents: [HTML]) -> HTML {
        .element("section", ["aria-labelledby": id], [.element("h2", ["id": id], HTML(title))] + contents)
    }

    static func details(_ summary: HTML, _ content: HTML) -> HTML {
        HTML.element("details", [HTML.element("summary", summary), content])
    }
}
