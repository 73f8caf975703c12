/// The version of all programs of the package, printed by `--version`.
public let aniccaVersion = "0.1.0"
