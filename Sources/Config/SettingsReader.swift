import Core

/// Fills settings from configuration files, and collects their faults.
struct SettingsReader {
    private(set) var settings = Settings()
    private(set) var problems: [SettingProblem]
    /// The file and line of each assignment, in reading order.
    private var origins: [(name: String, path: String, line: Int)] = []
    private let table: [SettingSection<Settings>]
    private var agreements: [SettingAgreement<Settings>]
    /// The family sections found, by their titles.
    private var ofFamilies: [SettingSection<Settings>] = []
    private let defaults = Settings()

    init(problems: [SettingProblem], sensors: [SensorChoice]) {
        self.problems = problems
        table = Settings.table(sensors: sensors)
        agreements = Settings.agreements(sensors: sensors, in: table)
    }

    mutating func read(_ file: ConfigFile) {
        let alreadyWrong = problems.count
        problems += file.problems
        var unknownSections: [String] = []
        for entry in file.entries {
            if let section = section(titled: entry.section) {
                take(entry, of: section, in: file)
            } else if !unknownSections.contains(entry.section) {
                unknownSections.append(entry.section)
                report(file, entry, unknownSection(entry.section))
            }
        }
        problems[alreadyWrong...].sort { ($0.line ?? 0) < ($1.line ?? 0) }
    }

    private mutating func section(titled title: String) -> SettingSection<Settings>? {
        if let known = (table.filter { $0.family == nil } + ofFamilies).first(where: { $0.name == title }) {
            return known
        }
        for family in table.compactMap(\.family) {
            let members = ofFamilies.filter { $0.family?.name == family.name }
            guard members.count < family.most, let section = family.section(titled: title) else { continue }
            ofFamilies.append(section)
            // The example's section is checked already.
            if !table.contains(where: { $0.name == title }) { agreements += section.agreements }
            return section
        }
        return nil
    }

    /// Call it once, after the last file. Agreements are not checked while single values are wrong.
    mutating func checkAgreements() {
        guard problems.isEmpty else { return }
        for agreement in agreements where !agreement.holds(settings) {
            let section = agreement.first.prefix { $0 != "." }
            guard
                let origin = origin(of: agreement.first) ?? origin(of: agreement.second)
                    ?? origins.last(where: { $0.name.hasPrefix("\(section).") })
            else { continue }
            problems.append(
                SettingProblem(
                    path: origin.path, line: origin.line,
                    "\(value(of: agreement.first)) must \(agreement.demand) \(value(of: agreement.second))"))
        }
    }

    /// An empty value restores the default, so that a later file can undo the setting of an earlier one.
    private mutating func take(_ entry: ConfigFile.Entry, of section: SettingSection<Settings>, in file: ConfigFile) {
        guard let key = section.keys.first(where: { $0.name == entry.key }) else {
            return report(file, entry, unknownKey(entry.key, in: section))
        }
        let name = "\(section.name).\(key.name)"
        if let earlier = origin(of: name), earlier.path == file.path {
            return report(file, entry, "\(name) is set twice in this file, first in line \(earlier.line)")
        }
        origins.append((name, file.path, entry.line))
        if entry.value.isEmpty {
            key.reset(&settings, defaults)
        } else if !key.assign(entry.value, &settings) {
            let value = withoutLogin(entry.value)
            report(file, entry, "\(name) = \"\(value)\": must be \(key.allowed)\(correction(value, key))")
        }
    }

    /// Removes a login from an address, where many programs expect one, because messages end up in a log.
    private func withoutLogin(_ value: String) -> String {
        let scheme = value.prefix(while: \.isLetter)
        guard value.dropFirst(scheme.count).hasPrefix("://"), let end = value.lastIndex(of: "@") else { return value }
        return "\(scheme)://…\(value[end...])"
    }

    private mutating func report(_ file: ConfigFile, _ entry: ConfigFile.Entry, _ message: String) {
        problems.append(SettingProblem(path: file.path, line: entry.line, message))
    }

    /// The file and line of a key's last assignment.
    private func origin(of name: String) -> (name: String, path: String, line: Int)? {
        origins.last { $0.name == name }
    }

    /// `section.key = value` with the present value, or a note that the key is not set.
    private func value(of name: String) -> String {
        for section in table + ofFamilies {
            for key in section.keys where "\(section.name).\(key.name)" == name {
                let text = key.text(settings)
                return text.isEmpty ? "\(name) (not set)" : "\(name) = \(text)"
            }
        }
        return name
    }

    /// The likely intended word for a misspelled one in a wrong value, as the end of the message; empty if unknown.
    private func correction(_ value: String, _ key: SettingKey<Settings>) -> String {
        for word in value.split(separator: " ").map(String.init) where !key.words.contains(word) {
            if let near = nearest(to: word, among: key.words) { return "; did you mean \"\(near)\"?" }
        }
        return ""
    }

    private func unknownSection(_ name: String) -> String {
        guard !name.isEmpty else { return "a key must stand below a [section]" }
        if let family = table.compactMap(\.family).first(where: { name.hasPrefix($0.name) }) {
            return
                "unknown section [\(name)]; it takes a name of up to \(SettingFamily<Settings>.longestName) bytes in quotes, "
                + "without a tab, as in [\(family.name) \"home\"], and there can be \(family.most) of them"
        }
        let known = table.map(\.name)
        let hint = nearest(to: name, among: known).map { "did you mean [\($0)]?" }
        return "unknown section [\(name)]; \(hint ?? "known are " + known.joined(separator: ", "))"
    }

    private func unknownKey(_ name: String, in section: SettingSection<Settings>) -> String {
        let known = section.keys.map(\.name)
        let complaint = "unknown key \"\(name)\" in [\(section.name)]; "
        if let near = nearest(to: name, among: known) { return complaint + "did you mean \"\(near)\"?" }
        if let home = table.first(where: { $0.keys.contains { $0.name == name } }) {
            return complaint + "it belongs in [\(home.name)]"
        }
        return complaint + "known are " + known.joined(separator: ", ")
    }
}
