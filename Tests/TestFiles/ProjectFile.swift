import Foundation

/// A file or folder of the project, by its path from the top.
public func projectFile(_ path: String) -> URL {
    URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("../../\(path)").standardizedFileURL
}
