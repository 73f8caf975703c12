import System

/// The content of a file that a TLS library opens by itself, for what depends on it: it may change while its path stays. Empty where there is
/// none, or where it cannot be read, which that library tells.
///
/// - Parameter isKey: throws where others may read it, which no library looks at.
func contentOfTLSFile(_ path: String?, isKey: Bool = false) throws(SinkUnusable) -> [UInt8] {
    guard let path else { return [] }
    do {
        return try readFile(path, limit: 1 << 20, privacy: isKey ? .secret : .any)
    } catch {
        guard case .exposed = error else { return [] }
        throw SinkUnusable("the client key \(error)", .noPermission)
    }
}
