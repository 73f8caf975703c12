import Foundation

/// The recordings of real people, which are not part of the project: in `ANICCA_RECORDINGS`, else in `../shared/recordings-2` beside the
/// checkout. Nil where there are none.
public let sharedRecordings: URL? = {
    let named = ProcessInfo.processInfo.environment["ANICCA_RECORDINGS"].map { URL(filePath: $0) }
    let folder = (named ?? projectFile("../shared/recordings-2")).standardized
    return FileManager.default.fileExists(atPath: folder.appending(path: "index.csv").path) ? folder : nil
}()
