import System

extension Settings {
    /// The file that is read unless another is named.
    public static let defaultPath = "/etc/anicca/anicca.conf"

    /// Reads a configuration file and then, in the order of their names, the `*.conf` files of the directory with the
    /// same path and `.d` added. A later file overrides single keys.
    ///
    /// `path` nil means the default file. The file must exist in either case; the directory need not.
    ///
    /// - Parameter sensors: The chips that this program can drive; see `table(sensors:)`.
    public static func load(
        _ path: String? = nil, sensors: [SensorChoice] = []
    ) throws(SettingsError) -> Settings {
        let main = path ?? defaultPath
        var files: [ConfigFile] = []
        var problems: [SettingProblem] = []
        let (names, directoryProblem) = dropIns(in: main + ".d")
        for file in [main] + names {
            do {
                files.append(ConfigFile(path: file, bytes: try readFile(file, limit: ConfigFile.largest)))
            } catch {
                problems.append(unreadable(error, isDefault: path == nil && file == main))
            }
        }
        if let directoryProblem { problems.append(directoryProblem) }
        return try settings(from: files, sensors, afterProblems: problems)
    }

    /// Parses a file already in memory; `name` stands for its path in messages.
    public static func parse(
        _ bytes: [UInt8], name: String, sensors: [SensorChoice] = []
    ) throws(SettingsError) -> Settings {
        try settings(from: [ConfigFile(path: name, bytes: bytes)], sensors, afterProblems: [])
    }

    private static func settings(
        from files: [ConfigFile], _ sensors: [SensorChoice], afterProblems problems: [SettingProblem]
    ) throws(SettingsError) -> Settings {
        var reader = SettingsReader(problems: problems, sensors: sensors)
        for file in files { reader.read(file) }
        reader.checkAgreements()
        guard reader.problems.isEmpty else { throw SettingsError(problems: reader.problems) }
        return reader.settings
    }

    private static func unreadable(_ error: FileError, isDefault: Bool) -> SettingProblem {
        var message = error.reason
        if case .absent = error {
            let advice = "install the default configuration there, or name another with --config"
            message += "; " + (isDefault ? advice : "check the path")
        }
        return SettingProblem(path: error.path, line: nil, message, isUnreadable: true)
    }

    /// The drop-in files, sorted by the bytes of their names; none without such a directory.
    private static func dropIns(in directory: String) -> (paths: [String], problem: SettingProblem?) {
        do {
            let names = try fileNames(in: directory).filter { $0.hasSuffix(".conf") && !$0.hasPrefix(".") }
            let sorted = names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
            return (sorted.map { "\(directory)/\($0)" }, nil)
        } catch .absent {
            return ([], nil)
        } catch {
            return ([], unreadable(error, isDefault: false))
        }
    }
}
