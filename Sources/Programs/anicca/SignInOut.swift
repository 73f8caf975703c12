import ArgumentParser
import Commands
import Config
import System
import Glibc
import Store
import Core
import Delivery

/// `anicca sign-in`
struct SignInCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sign-in",
        abstract: "Store the account that receives the collected data.",
        discussion: """
            Shows a code, and waits until the people who run your study approve it. If the server gives no code, it asks \
            for the user id, a UUID, and the token. The account becomes a credential of systemd that opens on this device \
            only; without systemd, a file that only the daemon's user can read. Waiting data is then sent. Data \
            collected for another account, and the day of the change, is never sent for this one; it waits, and is \
            dropped when it is too old. If the previous account was also yours, for example with a mistyped user id, \
            confirm that: its data is then sent for this account.

            If [account] in the configuration names an account, that account is used, and this command fails. With \
            --config of another configuration, the account is a file beside its store, and that of the units stays.

            Example:
              sudo anicca sign-in
              sudo anicca sign-in --user-id 2d1a8f5e-8a1b-4f54-9c32-0123456789ab < token
              sudo anicca sign-in --enrolment < code

            Exit status: 64 the user id, the token or the code is invalid; 69 the code was not approved; 73 the account cannot be stored, and the previous one \
            stays; 78 the configuration names an account.
            """)

    @Option(help: ArgumentHelp("The account; the token then comes from standard input.", valueName: "uuid"))
    var userId: String?

    @Flag(help: "The code of an enrolment, which the server knows, comes from standard input.")
    var enrolment = false

    @Flag(help: "The previous account was also yours: its waiting records go to this one.")
    var samePerson = false

    @OptionGroup var config: ConfigOptions

    func validate() throws {
        if enrolment, userId != nil { throw ValidationError("give --user-id or --enrolment, not both") }
    }

    func run() throws {
        let settings = try readSettings(config.config)
        try refuseWhereAnotherCounts(settings, config)
        let account = try account(settings)
        let userID = account.userID
        var content = account.content
        defer { Vault.wipe(&content) }
        let credential = EncryptedAccount()
        let isEncrypted = config.isOfUnits && EncryptedAccount.isPossible && credential.write(content)
        guard isEncrypted || !config.isOfUnits || !credential.exists else {
            throw Failure(
                "\(credential.path) is unchanged, because a new one cannot be created; remove "
                    + "\(credential.path).new if it exists, then run this again, or first run: "
                    + "sudo \(aniccaCommand("sign-out"))", .cannotCreate)
        }
        let installation = try Installation.entered(settings)
        if isEncrypted {
            try removeAccountFile(settings)
        } else {
            try writeAccountFile(content, settings)
        }
        _ = try failing(with: .noPermission) { try removeFile(settings.renewedAccountPath) }
        print("signed in as \(userID)")
        try noteSignIn(userID, installation)
        installation.ringUploader()
    }

    private func account(_ settings: Settings) throws(Failure) -> AccountFile {
        guard enrolment || userId == nil else { return try typedAccount() }
        let server = try SignInByCode(settings)
        guard enrolment else {
            if let account = try server?.account() { return account }
            return try typedAccount()
        }
        guard let server else { throw Failure("base-url in [server] is not set", .configuration) }
        guard let code = Secret(.token, fileContent: typedToken()) else {
            throw Failure("a code is one word of visible ASCII", .usage)
        }
        return try server.account(ofEnrolment: code)
    }

    private func typedAccount() throws(Failure) -> AccountFile {
        let userID = try typedUserID()
        guard let token = Secret(.token, fileContent: typedToken()) else {
            throw Failure("a token is one word of visible ASCII, of at most \(Secret.Kind.token.longest) bytes", .usage)
        }
        return AccountFile(userID: userID, token: token)
    }

    private func typedUserID() throws(Failure) -> String {
        if let userId {
            if let userID = AccountFile.userID(userId) { return userID }
            throw Failure("a user id is a UUID, such as 2d1a8f5e-8a1b-4f54-9c32-0123456789ab", .usage)
        }
        guard let prompt = Prompt.terminal else {
            throw Failure("there is no terminal to ask on; give --user-id, and the token on standard input", .usage)
        }
        guard let userID = prompt.ask("User id:", choices: "a UUID, or q to leave", AccountFile.userID) else {
            throw Failure("not signed in", .usage)
        }
        return userID
    }

    /// Not echoed while it is typed.
    private func typedToken() -> [UInt8] {
        if userId == nil, isatty(STDIN_FILENO) == 1 { tell("The token, which is not shown:") }
        var before = termios()
        let isTerminal = tcgetattr(STDIN_FILENO, &before) == 0
        if isTerminal {
            var silent = before
            silent.c_lflag &= ~tcflag_t(ECHO)
            tcsetattr(STDIN_FILENO, TCSAFLUSH, &silent)
        }
        defer { if isTerminal { tcsetattr(STDIN_FILENO, TCSAFLUSH, &before) } }
        var token: [UInt8] = []
        token.reserveCapacity(Secret.Kind.token.longest + 2)
        var byte: UInt8 = 0
        while token.count <= Secret.Kind.token.longest + 1 {
            let count = read(STDIN_FILENO, &byte, 1)
            if count < 0, errno == EINTR { continue }
            if count != 1 || byte == UInt8(ascii: "\n") { break }
            token.append(byte)
        }
        return token
    }

    private func noteSignIn(_ userID: String, _ installation: Installation) throws {
        guard installation.settings.store.exists else { return }
        let ledger = try installation.openStore()
        try installation.noteSignIn(of: Array(userID.utf8), to: SinkKind.https.id, in: ledger)
        let waiting = try ledger.countForOtherAccounts()
        guard waiting > 0 else { return }
        if samePerson || isSamePerson(waiting) { return try ledger.followSamePerson() }
        tell(
            "\(counted(waiting, "record")) of the previous account wait for its next sign-in; if that account was "
                + "yours too, run: \(samePersonCommand)")
    }

    private func isSamePerson(_ waiting: Int) -> Bool {
        guard userId == nil, let prompt = Prompt.terminal else { return false }
        prompt.say("\(counted(waiting, "record")) wait for the account that was signed in before.")
        return prompt.askYesOrNo("Type yes if that account was yours too, to send them for this one") ?? false
    }
}

/// `anicca sign-out`
struct SignOutCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sign-out",
        abstract: "Delete the account from this device.",
        discussion: """
            No more data is sent. Waiting data is kept for seven days, and is sent if the same account signs in again.
            """)

    @OptionGroup var config: ConfigOptions

    func run() throws {
        let settings = try readSettings(config.config)
        try refuseWhereAnotherCounts(settings, config)
        print(try removeAccount(settings, config) ? "signed out" : "no account was signed in")
    }
}

/// Deletes the account from this device; this process becomes the owner of the store. Returns whether there was one.
func removeAccount(_ settings: Settings, _ config: ConfigOptions) throws -> Bool {
    try failing(with: .noPermission) {
        let wasEncrypted =
            config.isOfUnits && geteuid() == 0 ? try removeFile(EncryptedAccount.standardPath) : false
        _ = try Installation.entered(settings)
        let wasFile = try removeAccountFile(settings)
        _ = try removeFile(settings.renewedAccountPath)
        if try RunLock(path: "\(settings.store.directory)/upload.lock") == nil {
            tell("a run of the uploader is under way, and ends by itself within [delivery] deadline")
        }
        return wasEncrypted || wasFile
    }
}

/// Whether an account is signed in, also where this process may not see it.
func hasAccount(_ settings: Settings, _ config: ConfigOptions) -> Bool {
    config.isOfUnits && EncryptedAccount().exists || access(AccountFile.path(settings), F_OK) == 0 || errno != ENOENT
}

/// The configuration overrides `anicca sign-in`, and its credential overrides the file, the only one that the daemon's
/// user can change.
func refuseWhereAnotherCounts(_ settings: Settings, _ config: ConfigOptions) throws(Failure) {
    guard settings.account.isUnset else {
        throw Failure(
            "the configuration names the account: change user-id and token-file in [account], or take both out",
            .configuration)
    }
    guard config.isOfUnits || !settings.isOfService else {
        throw Failure(
            "this configuration names the store of the installed units; set another directory in [store]",
            .configuration)
    }
    guard geteuid() == 0 || !config.isOfUnits || !fileExists(EncryptedAccount.standardPath) else {
        throw Failure("\(EncryptedAccount.standardPath) belongs to root; run: \(sudoCommand)", .noPermission)
    }
}

/// Returns whether it existed.
@discardableResult
private func removeAccountFile(_ settings: Settings) throws(Failure) -> Bool {
    let path = AccountFile.path(settings)
    // Left over from a killed sign-in.
    unlink("\(path).new")
    return try failing(with: .noPermission) { try removeFile(path) }
}

private func writeAccountFile(_ content: [UInt8], _ settings: Settings) throws(Failure) {
    let path = AccountFile.path(settings)
    try failing(with: .cannotCreate) { try replaceFile(path, with: content, draft: "\(path).new") }
}
