import Core
import Domains

extension ValueFormat<[Permission]> {
    /// Names of permissions, without duplicates.
    static var permissions: ValueFormat {
        let names = Permission.all.map(\.description)
        return ValueFormat(
            allowed: "any of \(alternatives(names)), each at most once, with spaces between",
            words: names,
            parse: parsePermissions,
            format: { permissions in
                var text = ""
                for permission in permissions { text += text.isEmpty ? "\(permission)" : " \(permission)" }
                return text
            })
    }
}

private func parsePermissions(_ text: String) -> [Permission]? {
    var permissions: [Permission] = []
    for name in text.split(separator: " ") {
        guard let permission = Permission(name), !permissions.contains(permission) else { return nil }
        permissions.append(permission)
    }
    return permissions
}
