/// One `[section]` of the configuration. Its values are stored in a `Root`.
public struct SettingSection<Root> {
    public let name: String
    /// One sentence.
    public let help: String
    public let keys: [SettingKey<Root>]
    /// Conditions between keys of this section.
    public let agreements: [SettingAgreement<Root>]
    /// The family that this section is an example of; nil for a single section.
    public let family: SettingFamily<Root>?

    public init(
        _ name: String, _ help: String, _ keys: [SettingKey<Root>], agreements: [SettingAgreement<Root>] = [],
        family: SettingFamily<Root>? = nil
    ) {
        self.name = name
        self.help = help
        self.keys = keys
        self.agreements = agreements
        self.family = family
    }

    /// The same section for a `Whole` that contains the root.
    ///
    /// - Parameters:
    ///   - part: reads the part.
    ///   - replace: writes it.
    public func lifted<Whole>(
        _ part: @escaping (Whole) -> Root, _ replace: @escaping (inout Whole, Root) -> Void
    ) -> SettingSection<Whole> {
        SettingSection<Whole>(
            name, help, keys.map { $0.lifted(part, replace) }, agreements: agreements.map { $0.lifted(part) },
            family: family?.lifted(part, replace))
    }
}

/// Sections that differ in a user-chosen name: `[fence "home"]`, `[fence "work"]`.
public struct SettingFamily<Root> {
    /// The word before the quoted name.
    public let name: String
    /// The greatest number of sections.
    public let most: Int
    /// Makes the section for a name.
    public let section: (String) -> SettingSection<Root>

    /// The most bytes of a name; libinih keeps 49 of a section's title.
    public static var longestName: Int { 32 }

    public init(name: String, most: Int, section: @escaping (String) -> SettingSection<Root>) {
        self.name = name
        self.most = most
        self.section = section
    }

    /// The section with this title; nil for the title of another family or an invalid name.
    public func section(titled title: String) -> SettingSection<Root>? {
        guard title.hasPrefix("\(name) \""), title.hasSuffix("\"") else { return nil }
        let own = String(title.dropFirst(name.count + 2).dropLast())
        let isPlain = own.utf8.allSatisfy { $0 >= 0x20 && $0 != UInt8(ascii: "\"") }
        guard !own.isEmpty, own.utf8.count <= Self.longestName, isPlain, title == "\(name) \"\(own)\""
        else { return nil }
        return section(own)
    }

    func lifted<Whole>(
        _ part: @escaping (Whole) -> Root, _ replace: @escaping (inout Whole, Root) -> Void
    ) -> SettingFamily<Whole> {
        SettingFamily<Whole>(name: name, most: most) { section($0).lifted(part, replace) }
    }
}

/// One key of the configuration: its name, its allowed values, its meaning, and the place of its value in a `Root`.
public struct SettingKey<Root> {
    public let name: String
    /// The allowed values, as the end of the sentence "must be …".
    public let allowed: String
    /// One sentence.
    public let help: String
    /// The words allowed in a value, to find a misspelled one; empty if values are not words.
    public let words: [String]
    /// The value in the given settings, as written in the file; empty for an unset value.
    public let text: (Root) -> String
    /// Reads `text` into `settings`. Returns false, with nothing changed, when it is not allowed.
    public let assign: (_ text: String, _ settings: inout Root) -> Bool
    /// Copies the value from other settings.
    public let reset: (_ settings: inout Root, _ source: Root) -> Void

    private init(
        name: String, allowed: String, help: String, words: [String], text: @escaping (Root) -> String,
        assign: @escaping (String, inout Root) -> Bool, reset: @escaping (inout Root, Root) -> Void
    ) {
        self.name = name
        self.allowed = allowed
        self.help = help
        self.words = words
        self.text = text
        self.assign = assign
        self.reset = reset
    }

    private init<Value, Stored>(
        _ name: String, _ kind: ValueFormat<Value>, _ place: WritableKeyPath<Root, Stored>, _ help: String,
        stored: @escaping (Value) -> Stored, text: @escaping (Stored) -> String
    ) {
        self.init(
            name: name, allowed: kind.allowed, help: help, words: kind.words, text: { text($0[keyPath: place]) },
            assign: { text, settings in
                guard let value = kind.parse(text) else { return false }
                settings[keyPath: place] = stored(value)
                return true
            },
            reset: { settings, source in settings[keyPath: place] = source[keyPath: place] })
    }

    /// A key that always has a value.
    public init<Value>(
        _ name: String, _ kind: ValueFormat<Value>, _ place: WritableKeyPath<Root, Value>, _ help: String
    ) {
        self.init(name, kind, place, help, stored: { $0 }, text: kind.format)
    }

    /// A key without a default; it is unset when left out.
    public init<Value>(
        _ name: String, optional kind: ValueFormat<Value>, _ place: WritableKeyPath<Root, Value?>, _ help: String
    ) {
        self.init(name, kind, place, help, stored: { $0 }, text: { $0.map(kind.format) ?? "" })
    }

    fileprivate func lifted<Whole>(
        _ part: @escaping (Whole) -> Root, _ replace: @escaping (inout Whole, Root) -> Void
    ) -> SettingKey<Whole> {
        SettingKey<Whole>(
            name: name, allowed: allowed, help: help, words: words,
            text: { text(part($0)) },
            assign: { text, whole in
                var values = part(whole)
                guard assign(text, &values) else { return false }
                replace(&whole, values)
                return true
            },
            reset: { whole, source in
                var values = part(whole)
                reset(&values, part(source))
                replace(&whole, values)
            })
    }
}
