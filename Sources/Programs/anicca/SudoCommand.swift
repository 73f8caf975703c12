/// The present command with sudo and without its options, for a user who lacks the rights for it:
/// `sudo anicca toggle motion on`.
var sudoCommand: String {
    (["sudo", "anicca"] + CommandLine.arguments.dropFirst().prefix { !$0.hasPrefix("-") }).joined(separator: " ")
}
