import Foundation
import Recordings

/// A file that exists for the length of a test.
final class ScratchFile {
    let path: String

    init(_ text: String, named name: String = "recording.csv") throws {
        try path = Self.write(Data(text.utf8), named: name)
    }

    init(bytes: Data, named name: String = "recording.csv.gz") throws {
        try path = Self.write(bytes, named: name)
    }

    deinit { try? FileManager.default.removeItem(atPath: (path as NSString).deletingLastPathComponent) }

    private static func write(_ data: Data, named name: String) throws -> String {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("recordings-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let file = folder.appendingPathComponent(name)
        try data.write(to: file)
        return file.path
    }
}

/// Every row of a recording.
func read(_ path: String) throws -> [RecordedSample] {
    let reader = try RecordingReader(path: path)
    var samples: [RecordedSample] = []
    while let sample = try reader.next() { samples.append(sample) }
    return samples
}

func samples(of text: String) throws -> [RecordedSample] {
    let file = try ScratchFile(text)
    return try read(file.path)
}
