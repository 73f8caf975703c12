import ArgumentParser

/// `anicca-receiver approve`
struct Approve: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Approve the code that a participant's device shows.",
        discussion: """
            The device shows it after sudo anicca sign-in, and signs in by itself within seconds. A new name is a new participant, \
            with a new account; the name is known to this server only. The tokens of the participant's other devices stay: end those of a \
            lost one with revoke. Of PostgreSQL only.

            Example:
              anicca-receiver approve WDJB-MJHT P017

            Exit status: 65 no such code waits; a device's code is valid for half an hour.
            """)

    @OptionGroup var store: StoreOptions

    @Argument(help: "The code, in upper or lower case.")
    var code: String

    @Argument(help: "The participant: a word.")
    var participant: String

    @Option(help: "The operator's name for the device: a word.")
    var device = "device"

    func validate() throws {
        guard SignInCode.read(code) != nil else {
            throw ValidationError("\(code) is not a code: eight letters, like WDJB-MJHT")
        }
        for name in [participant, device] where !Enroll.isName(name) {
            throw ValidationError("\(name) is not one word of at most 64 visible ASCII characters")
        }
    }

    func run() throws {
        try orStop {
            let store = try store.openStudy()
            guard let code = SignInCode.read(code) else { return }
            let isNew = try store.approve(code, participant: participant, device: device)
            guard let isNew else { throw Stop(.badInput, "no device waits with the code \(code); it may be too old") }
            print("approved \(code) for \(participant), \(isNew ? "a new participant" : "known here")")
        }
    }
}
