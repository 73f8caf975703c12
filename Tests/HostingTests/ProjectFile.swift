import Foundation

/// A file or folder of the project, by its path from the top.
func projectFile(_ path: String) -> URL {
    URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("../../\(path)").standardizedFileURL
}
