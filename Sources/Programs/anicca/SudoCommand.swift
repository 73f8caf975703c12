/// The present command with sudo, for a user who lacks the rights for it, without its options: `sudo anicca toggle
/// motion on`.
var sudoCommand: String {
    (["sudo", "anicca"] + CommandLine.arguments.dropFirst().prefix { !$0.hasPrefix("-") }).joined(separator: " ")
}
