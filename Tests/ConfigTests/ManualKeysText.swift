import Permissions
import SettingKeys

@testable import Config

/// The required content of `deploy/man/anicca.conf.5` between its two marks: every key of the table, in mdoc(7).
var manualKeysText: String {
    let sections = Settings.table(sensors: .known).map(manualText).joined()
    let agreements = Settings.agreements(sensors: .known).map {
        ".It\n\(roff("\($0.first) must \($0.demand) \($0.second)."))\n"
    }
    return sections + ".Ss Keys that depend on each other\n.Bl -bullet -compact\n" + agreements.joined() + ".El\n"
}

private func manualText(_ section: SettingSection<Settings>) -> String {
    let keys = section.keys.map { key in
        let value = key.text(Settings())
        return """
            .It Cm \(roff(key.name)) =\(value.isEmpty ? "" : " Li \(roff(value))")
            \(roff(key.help))
            Must be \(roff(key.allowed)).

            """
    }
    return ".Ss [\(roff(section.name))]\n\(roff(section.help))\n.Bl -tag -width Ds\n\(keys.joined()).El\n"
}

/// The text escaped for roff: its escape character, and hyphens that are meant as minus signs.
private func roff(_ text: String) -> String {
    var escaped = ""
    for character in text {
        switch character {
        case "\\": escaped += "\\e"
        case "-": escaped += "\\-"
        default: escaped.append(character)
        }
    }
    return escaped
}
