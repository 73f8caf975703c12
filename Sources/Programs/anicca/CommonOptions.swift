import ArgumentParser
import Config
import Permissions

/// The option of every command that needs to know how this device is set up.
struct ConfigOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The configuration [\(Settings.defaultPath)]; FILE.d/*.conf is read after it.", valueName: "file"))
    var config: String?

    func installation() throws(Failure) -> Installation { try .entered(readSettings(config)) }
}

/// The option of every command that looks at the hardware before it asks or answers.
struct HardwareOptions: ParsableArguments {
    @Flag(help: "The devices are simulated, as with aniccad --simulate: do not look for real ones.")
    var simulated = false
}

/// The option of every command that prints data.
struct OutputOptions: ParsableArguments {
    @Flag(help: "Print JSON for programs instead of text for people.")
    var json = false
}

/// Nil stands for the default file.
func readSettings(_ path: String?) throws(Failure) -> Settings {
    do {
        return try Settings.load(path, sensors: .known)
    } catch {
        throw Failure("\(error)", error.exitCode)
    }
}
