import Config
import Glibc

extension Settings.Store {
    /// The damaged stores that were moved aside and still lie beside this one; empty also when the directory cannot be
    /// read.
    var damagedStores: [String] {
        guard let stream = opendir(directory) else { return [] }
        defer { closedir(stream) }
        var paths: Set<String> = []
        while let entry = readdir(stream) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { UnsafeRawPointer($0) }
            let path = "\(directory)/\(String(cString: name.assumingMemoryBound(to: CChar.self)))"
            guard path.hasPrefix("\(ledgerPath).damaged-") else { continue }
            paths.insert(path.withoutSuffix("-wal").withoutSuffix("-shm"))
        }
        return paths.sorted()
    }
}

extension String {
    fileprivate func withoutSuffix(_ suffix: String) -> String {
        hasSuffix(suffix) ? String(dropLast(suffix.count)) : self
    }
}
