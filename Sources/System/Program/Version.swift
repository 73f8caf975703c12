/// The version of all programs of the package, as `--version` prints it.
public let aniccaVersion = "0.1.0"
