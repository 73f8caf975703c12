import Foundation
import Testing

/// Everything that reads bytes of others takes the inputs that fuzzing begins with, and those that once broke something.
@Suite struct CorpusTests {
    private static let corpus = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Corpus")

    @Test func eachTargetHasInputs() throws {
        let folders = try FileManager.default.contentsOfDirectory(atPath: Self.corpus.path)
        #expect(folders.sorted() == targets.keys.sorted())
    }

    @Test(arguments: targets.keys.sorted()) func noInputBreaksATarget(name: String) throws {
        let target = try #require(targets[name])
        let folder = Self.corpus.appending(path: name)
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(!files.isEmpty)
        for file in files { target([UInt8](try Data(contentsOf: folder.appending(path: file)))) }
    }
}
