import Sensing
import Core

@testable import Config

private var sections: [SettingSection<Settings>] { Settings.table(sensors: .known) }

/// Every key with its default behind a #.
let defaultFileKeys = sections.map { section in
    let keys = section.keys.map { key in
        "\n" + comment(key.help) + comment("Allowed: \(key.allowed).")
            + "#\(key.name) =\(key.value.isEmpty ? "" : " " + key.value)\n"
    }
    return "# \(section.help)\n[\(section.name)]\n" + keys.joined()
}.joined(separator: "\n")

/// Lines of at most 150 characters: the parser refuses a line of more than 198 bytes.
private func comment(_ text: String) -> String {
    var lines = ["#"]
    for word in text.split(separator: " ") {
        if lines[lines.count - 1].count + 1 + word.count > 150 { lines.append("#") }
        lines[lines.count - 1] += " \(word)"
    }
    return lines.joined(separator: "\n") + "\n"
}

/// Every key, in mdoc(7).
let manualKeys =
    sections.map { section in
        let keys = section.keys.map { key in
            """
            .It Cm \(roff(key.name)) =\(key.value.isEmpty ? "" : " Li \(roff(key.value))")
            \(roff(key.help))
            Must be \(roff(key.allowed)).

            """
        }
        return ".Ss [\(roff(section.name))]\n\(roff(section.help))\n.Bl -tag -width Ds\n\(keys.joined()).El\n"
    }.joined() + """
        .Ss Keys that depend on each other
        .Bl -bullet -compact
        \(demands.map { ".It\n\(roff($0))" }.joined(separator: "\n"))
        .El

        """

/// Every key, in Markdown.
let pageKeys =
    sections.map { section in
        let keys = section.keys.map { key in
            "| `\(key.name)` | \(key.value.isEmpty ? "" : "`\(key.value)` ")| \(key.allowed) | \(key.help) |\n"
        }
        return """

            ## `[\(section.name)]`

            \(section.help)

            | key | default | allowed | meaning |
            |---|---|---|---|
            \(keys.joined())
            """
    }.joined() + """

        ## Keys that depend on each other

        \(demands.map { "- \($0)\n" }.joined())
        """

private let demands = Settings.agreements(sensors: .known).map { "\($0.first) must \($0.demand) \($0.second)." }

extension SettingKey<Settings> {
    /// The default; empty where there is none.
    fileprivate var value: String { text(Settings()) }
}

/// The text escaped for roff: its escape character, and hyphens that are meant as minus signs.
private func roff(_ text: String) -> String {
    text.replacing("\\", with: "\\e").replacing("-", with: "\\-")
}
