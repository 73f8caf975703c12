import ArgumentParser
import Foundation

/// `anicca-receiver enroll`
struct Enroll: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Enrol a device of a participant, or give a device a token.",
        discussion: """
            With the name of a participant, prints lines for board.conf on the card of a device, with a code that the device \
            uses once: it then signs in by itself at its first start. A new name is a new participant. Of PostgreSQL only.

            Without a name, prints a token, which the wearer enters at anicca sign-in --user-id. It is printed only once; only its hash is stored. Without \
            --account and --device the devices are read from standard input, ACCOUNT and DEVICE in a line, and printed \
            with a token behind each. Nothing is enrolled when a line is wrong.

            Example:
              anicca-receiver enroll P017 --public-url https://example.org > board.conf
              anicca-receiver enroll --device wrist-7 --account "$(uuidgen)"
              anicca-receiver enroll < devices.txt > tokens.txt
            """)

    @OptionGroup var store: StoreOptions

    @Argument(help: "The participant: a word.")
    var participant: String?

    @Option(help: ArgumentHelp("For a participant: the server's address as devices have it.", valueName: "url"))
    var publicUrl: String?

    @Option(help: "For a participant: the days for which the code is valid.")
    var days = 30

    @Option(help: "For a participant: what the device sends besides figures and events.")
    var send: Extra?

    @Option(help: "The wearer's account, a UUID.")
    var account: AccountArgument?

    @Option(help: "The operator's name for the device: a word.")
    var device: String?

    func validate() throws {
        if let participant {
            guard Enroll.isName(participant) else { throw ValidationError("the participant's name must be one word") }
            guard account == nil else { throw ValidationError("give a participant or --account, not both") }
            guard (1...365).contains(days) else { throw ValidationError("days must be from 1 to 365") }
        } else {
            guard send == nil else { throw ValidationError("--send is for a participant") }
            guard (account == nil) == (device == nil) else {
                throw ValidationError("give --account and --device, or neither")
            }
        }
        if let device, !Enroll.isName(device) { throw ValidationError("the device's name must be one word") }
    }

    func run() throws {
        try orStop {
            if let participant {
                try enroll(participant)
            } else if let account, let device {
                let token = randomToken()
                try store.openChecked().enroll([
                    EnrolledDevice(account: account.text, name: device, token: Digest(token.utf8))
                ])
                try hand(out: [token])
            } else {
                try enrollLines()
            }
        }
    }

    private func enroll(_ participant: String) throws {
        let code = randomToken()
        let name = device ?? "device"
        let (isNew, until) = try store.openStudy().enroll(
            Digest(code.utf8), participant: participant, device: name, days: days)
        let extra = send.map { ["send = \($0.rawValue)"] } ?? []
        try hand(out: ["server = \(publicUrl ?? "")", "enrolment = \(code)"] + extra)
        // Not among the lines: a card does not say whose it is.
        Stop.say(
            "\(participant), \(isNew ? "a new participant" : "known here"), \(name): for one sign-in, until \(until)")
    }

    private func enrollLines() throws {
        var devices: [EnrolledDevice] = []
        var lines: [String] = []
        while let line = readLine() {
            let words = line.split(separator: " ", omittingEmptySubsequences: true).map(String.init)
            guard words.count == 2, let account = AccountArgument(argument: words[0]), Enroll.isName(words[1]) else {
                throw Stop(
                    .badInput, "line \(lines.count + 1) of the input is not ACCOUNT DEVICE; nothing was enrolled")
            }
            let token = randomToken()
            devices.append(EnrolledDevice(account: account.text, name: words[1], token: Digest(token.utf8)))
            lines.append("\(account.text) \(words[1]) \(token)")
        }
        try store.openChecked().enroll(devices)
        try hand(out: lines)
    }

    /// A token that is not delivered now is lost.
    private func hand(out lines: [String]) throws {
        do {
            try FileHandle.standardOutput.write(contentsOf: Data(lines.map { "\($0)\n" }.joined().utf8))
        } catch {
            throw Stop(
                .unavailable,
                "the tokens could not be written (\(error.localizedDescription)); end them with revoke, and enroll again"
            )
        }
    }

    /// The values of `send` in the section `server` of a device's configuration.
    enum Extra: String, CaseIterable, ExpressibleByArgument {
        case coverage, quarters
    }

    static func isName(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count) && text.utf8.allSatisfy((UInt8(ascii: "!")...UInt8(ascii: "~")).contains)
    }
}

/// `anicca-receiver revoke`
struct Revoke: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "End the tokens of a device, or of all devices of an account.",
        discussion: "Received data stays. The device keeps its unsent data until it is signed in again.")

    @OptionGroup var store: StoreOptions

    @OptionGroup var person: Person

    @Option(help: "The device. Without it, all of the account.")
    var device: String?

    func run() throws {
        let count = try orStop {
            try store.openChecked().revoke(account: try person.account(in: store), device: device)
        }
        guard count > 0 else { Stop(.badInput, "no token of that account and device is valid").end() }
        print("ended \(count) \(count == 1 ? "token" : "tokens") or approved codes")
    }
}
