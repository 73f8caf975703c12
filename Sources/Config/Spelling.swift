/// The most likely intended candidate for a misspelled `word`: the one with the fewest edits, if these are at most a
/// third of its letters. Case is ignored.
public func nearest(to word: String, among candidates: [String]) -> String? {
    let letters = Array(word.lowercased().utf8)
    let distances = candidates.map { (name: $0, edits: editDistance(letters, Array($0.lowercased().utf8))) }
    guard let best = distances.min(by: { $0.edits < $1.edits }) else { return nil }
    return best.edits <= max(1, best.name.utf8.count / 3) ? best.name : nil
}

/// The insertions, deletions and replacements between two words (Levenshtein distance).
private func editDistance(_ left: [UInt8], _ right: [UInt8]) -> Int {
    var row = Array(0...right.count)
    for (index, letter) in left.enumerated() {
        var diagonal = row[0]
        row[0] = index + 1
        for column in right.indices {
            let replaced = diagonal + (letter == right[column] ? 0 : 1)
            diagonal = row[column + 1]
            row[column + 1] = min(replaced, row[column] + 1, diagonal + 1)
        }
    }
    return row[right.count]
}
