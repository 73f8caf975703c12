import ArgumentParser
import Glibc
import Commands
import Config
import System
import Sensing

/// The option of every command that uses this device's configuration.
struct ConfigOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The configuration [\(Settings.defaultPath)]; FILE.d/*.conf is read after it.", valueName: "file"))
    var config: String?

    /// Whether it is the configuration of the installed units, which alone get the account from systemd.
    var isOfUnits: Bool {
        guard let config, config != Settings.defaultPath else { return true }
        guard let path = realpath(config, nil), let usual = realpath(Settings.defaultPath, nil) else { return false }
        defer {
            free(path)
            free(usual)
        }
        return strcmp(path, usual) == 0
    }

    /// - Parameter withAccount: also decrypts the account of the units, which takes a moment.
    func installation(withAccount: Bool = false) throws(Failure) -> Installation {
        try .entered(readSettings(config), withAccount: withAccount && isOfUnits)
    }

    /// The output of this program for a command and its options, and its exit code: runs it again, with the present
    /// rights of this process. It prints its own errors. Nil stands for an end without one of our exit codes.
    func output(of words: [String], limit: Int) throws(Failure) -> (bytes: [UInt8], end: System.ExitCode?) {
        var words = words
        if let config { words.insert(contentsOf: ["--config", config], at: 1) }
        let child = try failing(with: .systemError) { [words] in try ChildProcess("/proc/self/exe", words) }
        return (child.readAll(limit: limit), System.ExitCode(rawValue: child.wait()))
    }
}
