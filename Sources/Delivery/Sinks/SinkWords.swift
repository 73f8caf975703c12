import Config

/// The words for a kind of receiver, in messages.
public struct SinkWords: Sendable {
    /// `server`
    public let receiver: String
    /// The key that names its address.
    public let address: String
    /// The credentials that it may refuse: `token`.
    public let credentials: String
    /// The remedy for refused credentials.
    public let signIn: String
    /// The same as a command or a place, after a colon.
    public let signInPlace: String

    public init(receiver: String, address: String, credentials: String, signIn: String, signInPlace: String) {
        self.receiver = receiver
        self.address = address
        self.credentials = credentials
        self.signIn = signIn
        self.signInPlace = signInPlace
    }

    public static let server = SinkWords(
        receiver: "server", address: "base-url in [server]", credentials: "token", signIn: "sign in again",
        signInPlace: "sudo anicca sign-in")
    public static let broker = SinkWords(
        receiver: "broker", address: "broker in [mqtt]", credentials: "login", signIn: "correct the login in [mqtt]",
        signInPlace: "user, password-file and client-certificate in [mqtt]")
}

extension SinkKind {
    /// The sinks with a receiver in the settings.
    public static func named(in settings: Settings) -> [SinkKind] { all.filter { $0.isNamed(settings) } }
}
