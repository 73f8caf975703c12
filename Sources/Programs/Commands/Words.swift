/// Such as `1 day` or `2 days`.
public func counted(_ count: Int, _ noun: String) -> String { "\(count) \(noun)\(count == 1 ? "" : "s")" }

/// The first few of the names, and how many more there are.
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
