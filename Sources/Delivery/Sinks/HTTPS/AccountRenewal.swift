import Config
import Core
import Store
import System

/// Renews the tokens of an account that signed in by a code, before they end. Only root can write the credential, so
/// the renewed account is sealed in a file beside the store. It follows from one sign-in: another one replaces it.
struct AccountRenewal {
    let context: SinkContext
    let ledger: Ledger
    let clock: RunClock
    let journal: Journal

    /// The context with the latest account. A failure leaves the present tokens, and is logged.
    func renewedContext() throws(SinkUnusable) -> SinkContext {
        let now = clock.wall
        guard context.settings.account.isUnset, context.settings.server.baseURL != nil else { return context }
        guard var account = try AccountFile.signedIn(context), let signIn = account.renewal else { return context }
        let origin = signIn.origin
        account = .kept(since: origin, context.settings, ledger) ?? account
        if let renewal = account.renewal, now >= renewal.due || isPaused {
            account = try renewed(account, renewal, origin, now)
        }
        return SinkContext(context.settings, account: account, userAgent: context.userAgent)
    }

    private var isPaused: Bool {
        let sinks = (try? ledger.deliveryStatus())?.sinks ?? []
        return sinks.contains { $0.sink == SinkKind.https.id && $0.log.isPaused }
    }

    private func renewed(
        _ account: AccountFile, _ renewal: AccountFile.Renewal, _ origin: [UInt8], _ now: WallTime
    ) throws(SinkUnusable) -> AccountFile {
        let client = try TokenClient(
            context.settings, pinnedKey: account.pinnedKey, userAgent: context.userAgent,
            patience: min(.seconds(30), clock.part(of: 2).remaining))
        guard let client else { return account }
        do {
            var new = try client.renewed(renewal, at: now)
            guard new.userID == account.userID else {
                journal.log(.warning, .uploadIncomplete, "the server renewed the token of another account; not used")
                return account
            }
            if new.renewal == nil {
                new.renewal = AccountFile.Renewal(refreshToken: renewal.refreshToken, due: now + .days(1))
            }
            new.pinnedKey = new.pinnedKey ?? account.pinnedKey
            return keep(new, since: origin) ? new : account
        } catch .error(let code) where code == "invalid_grant" {
            journal.log(
                .warning, .uploadPaused, "the server ended the sign-in of this device; run: sudo anicca sign-in")
            // Nothing more is asked of the server.
            var ended = account
            ended.renewal = nil
            _ = keep(ended, since: origin)
            return ended
        } catch {
            journal.log(
                .warning, .uploadIncomplete, "the token could not be renewed, the next run tries again: \(error.text)")
            return account
        }
    }

    /// Before the new token is used, because the server may end the old one then.
    private func keep(_ account: AccountFile, since origin: [UInt8]) -> Bool {
        var content = origin + account.content
        defer { Vault.wipe(&content) }
        let path = context.settings.renewedAccountPath
        do {
            try replaceFile(path, with: ledger.sealed(content, for: .renewedAccount), draft: "\(path).new")
            return true
        } catch {
            journal.log(.warning, .uploadIncomplete, "the renewed token cannot be stored: \(error)")
            return false
        }
    }
}

extension AccountFile {
    /// The account with its latest tokens; nil if none is signed in. Without a store none was renewed.
    public static func latest(_ context: SinkContext, in ledger: Ledger?) throws(SinkUnusable) -> AccountFile? {
        guard let account = try signedIn(context) else { return nil }
        guard let ledger, let renewal = account.renewal else { return account }
        return kept(since: renewal.origin, context.settings, ledger) ?? account
    }

    /// The account as it was signed in; nil if none is.
    fileprivate static func signedIn(_ context: SinkContext) throws(SinkUnusable) -> AccountFile? {
        let given = context.account
        return given == nil ? try read(context.settings) : given
    }

    /// The account that was renewed since a sign-in; nil if there is none.
    fileprivate static func kept(since origin: [UInt8], _ settings: Settings, _ ledger: Ledger) -> AccountFile? {
        guard
            let sealed = try? readFile(settings.renewedAccountPath, limit: 2 * AccountFile.limit, privacy: .own),
            var content = ledger.opened(sealed, for: .renewedAccount)
        else { return nil }
        defer { Vault.wipe(&content) }
        guard content.starts(with: origin) else { return nil }
        return AccountFile(content: Array(content.dropFirst(origin.count)))
    }
}

extension AccountFile.Renewal {
    /// The digest of the refresh token, by which a renewed account belongs to its sign-in.
    fileprivate var origin: [UInt8] {
        var parts = [refreshToken.bytes]
        return Vault.digest(&parts)
    }
}

extension SealedPlace {
    fileprivate static let renewedAccount = SealedPlace(table: "renewed account")
}

extension Settings {
    /// The file with an account that was renewed since the sign-in.
    public var renewedAccountPath: String { "\(store.directory)/anicca.renewed" }
}
