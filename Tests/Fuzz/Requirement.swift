import Foundation

/// Stops the run: an input that breaks what must hold.
func require(_ holds: Bool, _ message: String) {
    guard !holds else { return }
    FileHandle.standardError.write(Data("broken: \(message)\n".utf8))
    abort()
}
