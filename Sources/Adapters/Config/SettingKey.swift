/// One `[section]` of the configuration.
public struct SettingSection {
    public let name: String
    /// One sentence.
    public let help: String
    public let keys: [SettingKey]

    init(_ name: String, _ help: String, _ keys: [SettingKey]) {
        self.name = name
        self.help = help
        self.keys = keys
    }
}

/// One key of the configuration: its name, what is allowed, what it means, and where its value is kept.
public struct SettingKey {
    public let name: String
    /// What a value may be, as the end of the sentence "must be …".
    public let allowed: String
    /// One sentence.
    public let help: String
    /// The words that a value is made of; empty where it is made of others.
    let words: [String]
    /// The value in the given settings as the file would have it; empty for a value that is not set.
    public let text: (Settings) -> String
    /// Reads `text` into `settings`. False, with nothing changed, when it is not allowed.
    let assign: (_ text: String, _ settings: inout Settings) -> Bool
    /// Takes the value over from other settings.
    let reset: (_ settings: inout Settings, _ source: Settings) -> Void

    /// A key whose value is always there.
    init<Value>(
        _ name: String, _ kind: ValueFormat<Value>, _ place: WritableKeyPath<Settings, Value>, _ help: String
    ) {
        self.name = name
        self.help = help
        allowed = kind.allowed
        words = kind.words
        text = { kind.format($0[keyPath: place]) }
        assign = { text, settings in
            guard let value = kind.parse(text) else { return false }
            settings[keyPath: place] = value
            return true
        }
        reset = { settings, source in settings[keyPath: place] = source[keyPath: place] }
    }

    /// A key that may be left out, and has no value then.
    init<Value>(
        _ name: String, optional kind: ValueFormat<Value>, _ place: WritableKeyPath<Settings, Value?>, _ help: String
    ) {
        self.name = name
        self.help = help
        allowed = kind.allowed
        words = kind.words
        text = { $0[keyPath: place].map(kind.format) ?? "" }
        assign = { text, settings in
            guard let value = kind.parse(text) else { return false }
            settings[keyPath: place] = value
            return true
        }
        reset = { settings, source in settings[keyPath: place] = source[keyPath: place] }
    }
}
