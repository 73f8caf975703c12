import System

/// A part of a command's output: for programs a member of an object; for people a row of a section or a cell of a
/// table.
public struct Field {
    /// Nil if only people get it.
    let member: (key: String, value: (any JSONValue)?)?
    /// Nil if only programs get it. A row without text is left out.
    let row: (label: String, text: String?)?
    let alignment: Table.Alignment

    private init(
        _ member: (key: String, value: (any JSONValue)?)?, _ row: (label: String, text: String?)?,
        _ alignment: Table.Alignment = .left
    ) {
        self.member = member
        self.row = row
        self.alignment = alignment
    }

    /// For programs only; left out if the value is nil.
    public init(_ key: String, _ value: (any JSONValue)?) { self.init((key, value), nil) }

    /// The text for people is the value's description.
    public init(_ key: String, _ value: (any JSONValue)?, _ label: String, _ alignment: Table.Alignment = .left) {
        self.init(key, value, label, value?.description, alignment)
    }

    /// - Parameter text: for people; control characters are escaped. A row without text is left out, whatever the
    ///   value.
    public init(
        _ key: String, _ value: (any JSONValue)?, _ label: String, _ text: String?,
        _ alignment: Table.Alignment = .left
    ) {
        self.init((key, value), (label, text.map(escapingControls)), alignment)
    }

    /// For people only.
    public init(label: String, _ text: String?, _ alignment: Table.Alignment = .left) {
        self.init(nil, (label, text.map(escapingControls)), alignment)
    }

    /// For people only.
    ///
    /// - Parameter text: the program's own text, which may contain colour codes.
    public init(label: String, painted text: String) { self.init(nil, (label, text)) }
}

extension JSONObject {
    /// The members of the fields, in their order.
    public init(_ fields: [Field]) { self.init(fields.compactMap(\.member)) }
}

/// Fields under a title: for programs an object, for people rows.
public struct Section {
    /// Nil if the fields belong to the enclosing object.
    private let key: String?
    private let title: String
    private let fields: [Field]

    public init(_ key: String?, _ title: String, _ fields: [Field]) {
        self.key = key
        self.title = title
        self.fields = fields
    }

    /// The names and texts of its rows.
    public var rows: [(label: String, text: String)] {
        fields.compactMap { field in field.row.flatMap { row in row.text.map { (row.label, $0) } } }
    }

    fileprivate var members: [Field] { key.map { [Field($0, JSONObject(fields))] } ?? fields }

    /// The title is left out without rows, unless it is meaningful alone.
    fileprivate var lines: [String] {
        let rows = rows.map { withoutTrailingSpaces("  \(pad($0.label, to: 18))\($0.text)") }
        return rows.isEmpty && key != nil ? [] : [title] + rows
    }
}

extension [Section] {
    public var json: JSONObject { JSONObject(flatMap(\.members)) }

    /// Separated by empty lines.
    public var lines: [String] { [String](map(\.lines).filter { !$0.isEmpty }.joined(separator: [""])) }
}

/// Items of one kind: for programs an array of objects, for people a table whose columns are the rows of the fields.
public struct Listing {
    private let items: [[Field]]
    private let notes: [[String]]

    /// - Parameters:
    ///   - items: all with the same rows.
    ///   - notes: for people, the lines below each item.
    public init(_ items: [[Field]], notes: [[String]] = []) {
        self.items = items
        self.notes = notes
    }

    public var isEmpty: Bool { items.isEmpty }
    public var json: String { items.map { JSONObject($0) }.listing }

    /// - Parameter width: see `Table`.
    public func lines(within width: Int? = Screen.width) -> [String] {
        let cells = items.map { fields in fields.compactMap { field in field.row.map { ($0, field.alignment) } } }
        var table = Table((cells.first ?? []).map { ($0.0.label, $0.1) })
        for item in cells { table.add(item.map { $0.0.text ?? "" }) }
        let blocks = table.blocks(within: width)
        guard let last = blocks.last else { return [] }
        let noted = zip(last, [[]] + notes + Array(repeating: [], count: items.count)).map { $0 + $1 }
        return Array((blocks.dropLast() + [noted]).map { $0.flatMap(\.self) }.joined(separator: [""]))
    }
}

extension OutputOptions {
    /// Prints the object for programs, or the lines for people.
    public func show(_ json: @autoclosure () -> String, or lines: @autoclosure () -> [String]) {
        if self.json { print(json()) } else { printLines(lines()) }
    }

    /// Prints the object for programs, or the text for people unchanged.
    public func show(_ object: @autoclosure () -> JSONObject, or text: @autoclosure () -> String) {
        print(json ? object().description : text())
    }

    /// Prints the result of a change; the text for people only without a failure.
    public func show(_ object: JSONObject, or text: String, unless failure: Failure?) throws(Failure) {
        if json || failure == nil { print(json ? object.description : text) }
        if let failure { throw failure }
    }

    /// - Parameter message: shown to people if the listing is empty.
    public func show(_ listing: Listing, orTell message: @autoclosure () -> String = "") {
        if !json, listing.isEmpty { tell(message()) } else { show(listing.json, or: listing.lines()) }
    }

    public func show(_ sections: [Section]) { show(sections.json.description, or: sections.lines) }
}
