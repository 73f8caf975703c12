/// Such as `1 day` or `2 days`.
public func counted(_ count: Int, _ noun: String) -> String { "\(count) \(noun)\(count == 1 ? "" : "s")" }

/// Such as `a, b and c`.
public func listed(_ words: [String], _ last: String = "and") -> String {
    guard words.count > 1, let end = words.last else { return words.joined() }
    return words.dropLast().joined(separator: ", ") + " \(last) \(end)"
}

/// A count of tenths (one digit), of hundredths and so on as a decimal number, such as `-0.012`.
public func decimal(_ count: Int64, digits: Int) -> String {
    // As bytes: a table of an export has tens of thousands.
    var text = Array("\(count.magnitude)".utf8)
    let missing = max(0, digits + 1 - text.count)
    text.insert(contentsOf: repeatElement(UInt8(ascii: "0"), count: missing), at: 0)
    if digits > 0 { text.insert(UInt8(ascii: "."), at: text.count - digits) }
    if count < 0 { text.insert(UInt8(ascii: "-"), at: 0) }
    return String(decoding: text, as: UTF8.self)
}

/// The first few of the names, and the number of others.
public func firstFew(_ names: [String]) -> String {
    let few = names.prefix(3).joined(separator: ", ")
    return names.count > 3 ? "\(few) and \(names.count - 3) more" : few
}

/// The text in lines of at most `width` characters, broken at spaces; a longer word has a line of its own.
public func wrapped(_ text: String, to width: Int) -> [String] {
    var lines: [String] = []
    for word in text.split(separator: " ") {
        if let last = lines.last, last.count + 1 + word.count <= width {
            lines[lines.count - 1] = "\(last) \(word)"
        } else {
            lines.append(String(word))
        }
    }
    return lines
}
