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

/// One key of the configuration: its name, its allowed values, its meaning, and the place of its value in `Settings`.
public struct SettingKey {
    public let name: String
    /// The allowed values, as the end of the sentence "must be …".
    public let allowed: String
    /// One sentence.
    public let help: String
    /// The words that values consist of; empty for other values.
    let words: [String]
    /// The value in the given settings, as text of the file; empty for a value that is not set.
    public let text: (Settings) -> String
    /// Reads `text` into `settings`. Returns false, with nothing changed, when it is not allowed.
    let assign: (_ text: String, _ settings: inout Settings) -> Bool
    /// Copies the value from other settings.
    let reset: (_ settings: inout Settings, _ source: Settings) -> Void

    /// A key that always has a value.
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

    /// A key without a default, which has no value when it is left out.
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
