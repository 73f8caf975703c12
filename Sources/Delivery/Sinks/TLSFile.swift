import System

/// The content of a file that a TLS library opens itself, because it may change while its path stays. Empty if it does
/// not exist or cannot be read, which that library reports.
///
/// - Parameter isKey: throws if other users may read the file, which no library checks.
func contentOfTLSFile(_ path: String?, isKey: Bool = false) throws(SinkUnusable) -> [UInt8] {
    guard let path else { return [] }
    do {
        return try readFile(path, limit: 1 << 20, privacy: isKey ? .secret : .any)
    } catch {
        guard case .exposed = error else { return [] }
        throw SinkUnusable("the client key \(error)", .noPermission)
    }
}
