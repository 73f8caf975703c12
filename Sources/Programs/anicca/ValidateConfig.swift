import ArgumentParser
import Commands
import Config
import Sensing
import System

/// `anicca validate-config`
struct ValidateConfig: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "validate-config", abstract: "Check the configuration and print every problem.",
        discussion: """
            Reads the file and those in the directory beside it (FILE.d/*.conf), as the daemon does. Every problem is \
            a line FILE:LINE: with the fault and the allowed values. With --json, prints the settings in force, \
            including defaults, in the syntax of the file.

            Example, before `systemctl reload aniccad`:
              anicca validate-config /etc/anicca/anicca.conf

            Exit status: 0 valid, 78 not valid, 66 a file cannot be read.
            """)

    @Argument(help: ArgumentHelp("The same as --config.", valueName: "file"))
    var file: String?

    @OptionGroup var config: ConfigOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard file == nil || config.config == nil else {
            throw ValidationError("name the configuration once: as an argument or with --config")
        }
    }

    func run() throws {
        let path = file ?? config.config
        let settings = try readSettings(path)
        output.show(settings.json, or: "\(path ?? Settings.defaultPath): valid")
    }
}

extension Settings {
    /// Every set value, as text, in an object for each section. It contains no secrets, because the token and the keys
    /// are in separate files.
    fileprivate var json: JSONObject {
        JSONObject(
            Settings.table(sensors: .known).map { section in
                let values = section.keys.map { ($0.name, $0.text(self)) }
                return (section.name, JSONObject(values.map { ($0, $1.isEmpty ? nil : $1) }))
            })
    }
}
