import Config
import System

extension Settings.Store {
    /// The damaged stores that were moved aside and are still beside this one; also empty if the directory cannot be
    /// read.
    var damagedStores: [String] {
        var paths: Set<String> = []
        for name in readableFileNames(in: directory)
        where "\(directory)/\(name)".hasPrefix("\(ledgerPath).damaged-") {
            paths.insert("\(directory)/\(name)".withoutSuffix("-wal").withoutSuffix("-shm"))
        }
        return paths.sorted()
    }
}

extension String {
    fileprivate func withoutSuffix(_ suffix: String) -> String {
        hasSuffix(suffix) ? String(dropLast(suffix.count)) : self
    }
}
