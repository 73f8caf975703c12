/// This very command as it is to be given by somebody who lacks the rights for it, without its options:
/// `sudo anicca toggle motion on`.
var sudoCommand: String {
    (["sudo", "anicca"] + CommandLine.arguments.dropFirst().prefix { !$0.hasPrefix("-") }).joined(separator: " ")
}
