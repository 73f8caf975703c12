import Commands
import Config
import Glibc
import System

/// What a maintainer needs to find a fault, without any data of the wearer: no figure, no time of use, no account, no
/// address and no place.
struct DoctorBundle {
    /// The checks whose result is only about the hardware and its files.
    private static let ofHardware: Set = [
        "i2c-bus", "imu", "interrupt-line", "step-line", "alarm-line", "power",
    ]
    /// The sections whose values are only about the hardware and its use. Of the others, the set keys are named.
    private static let openSections: Set = ["imu", "duty-cycle", "steps", "time", "delivery"]
    /// The longest that a file about the system can be.
    private static let mostBytes = 65_536

    let findings: [CheckResult]
    /// Nil if the configuration is not valid.
    let settings: Settings?

    var json: JSONObject {
        var system = utsname()
        uname(&system)
        return JSONObject(
            ("version", aniccaVersion), ("kernel", Self.text(of: system.release)),
            ("machine", Self.text(of: system.machine)), ("system", Self.system), ("board", Self.board),
            ("checks", findings.map(Self.json)), ("settings", settings.map(Self.json)))
    }

    private static func json(_ finding: CheckResult) -> JSONObject {
        JSONObject(
            ("check", finding.check), ("state", finding.state.rawValue),
            ("found", ofHardware.contains(finding.check) ? masked(finding.found) : nil))
    }

    /// Without paths of files, which can have the name of a user. Those of devices stay.
    private static func masked(_ text: String) -> String {
        text.split(separator: " ", omittingEmptySubsequences: false).map { word in
            let isOpen = ["/dev/", "/sys/"].contains { word.hasPrefix($0) } && !word.contains("..")
            return word.contains("/") && !isOpen ? "PATH" : String(word)
        }.joined(separator: " ")
    }

    /// The keys that differ from their defaults.
    private static func json(_ settings: Settings) -> JSONObject {
        let usual = Settings()
        return JSONObject(
            // Without those in quotes, which stand for sections with names of the wearer.
            Settings.table(sensors: .known).filter { !$0.name.contains("\"") }.map { section in
                let changed = section.keys.filter { $0.text(settings) != $0.text(usual) }
                let isOpen = openSections.contains(section.name)
                let values = changed.map { ($0.name, isOpen ? masked($0.text(settings)) : "set") }
                return (section.name, values.isEmpty ? nil : JSONObject(values.map { ($0, $1) }))
            })
    }

    /// The name of the distribution (os-release(5)).
    private static var system: String? {
        // `try?`: a maintainer can do without.
        guard let bytes = try? readFile("/etc/os-release", limit: mostBytes) else { return nil }
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
        return lines.first { $0.hasPrefix("PRETTY_NAME=") }.map { $0.dropFirst(12).filter { $0 != "\"" } }
    }

    /// The board, by its device tree.
    private static var board: String? {
        // `try?`: a PC has no device tree.
        (try? readFile("/proc/device-tree/model", limit: mostBytes)).map {
            String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
        }
    }

    private static func text<Text>(of characters: Text) -> String {
        withUnsafeBytes(of: characters) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }
}
