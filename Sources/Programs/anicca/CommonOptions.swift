import ArgumentParser
import Commands
import Config
import System
import Sensing

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
    /// What this program prints for a command and its options, and how it ends: run once more, with the rights that this process has. It says
    /// by itself why it fails. Nil stands for an end without an exit code of ours.
    func output(of words: [String], limit: Int) throws(Failure) -> (bytes: [UInt8], end: System.ExitCode?) {
        var words = words
        if let config { words.insert(contentsOf: ["--config", config], at: 1) }
        let child = try failing(with: .systemError) { [words] in try ChildProcess("/proc/self/exe", words) }
        return (child.readAll(limit: limit), System.ExitCode(rawValue: child.wait()))
    }
}
