/// Such as `1 day` or `2 days`.
func counted(_ count: Int, _ noun: String) -> String { "\(count) \(noun)\(count == 1 ? "" : "s")" }

/// The first few of the names, and how many more there are.
func firstFew(_ names: [String]) -> String {
    let few = names.prefix(3).joined(separator: ", ")
    return names.count > 3 ? "\(few) and \(names.count - 3) more" : few
}
