import ArgumentParser
import Commands
import Config
import Permissions

/// The option of every command that needs to know how this device is set up.
struct ConfigOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The configuration [\(Settings.defaultPath)]; FILE.d/*.conf is read after it.", valueName: "file"))
    var config: String?

    /// - Parameter withAccount: decrypts the account too, which takes a moment.
    func installation(withAccount: Bool = false) throws(Failure) -> Installation {
        try .entered(readSettings(config), withAccount: withAccount)
    }
}
