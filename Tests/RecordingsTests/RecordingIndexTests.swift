import Foundation
import Recordings
import SimulatedBus
import Testing

@Suite struct RecordingIndexTests {
    private static let header = "rec,dataset,subject,position,label,class,true_steps"
    private static let row = "a1,walks,s1,right wrist,Walk,walking,100"

    private func index(_ text: String) throws -> RecordingIndex {
        let file = try ScratchFile(text, named: "index.csv")
        return try RecordingIndex(folder: (file.path as NSString).deletingLastPathComponent)
    }

    @Test func readsEveryRow() throws {
        let index = try index("\(Self.header)\n\(Self.row)\n\nb2,walks,,,,stairs,\n")
        #expect(index.faults.isEmpty)
        #expect(index.entries.map(\.name) == ["a1", "b2"])
        #expect(index.entries.map(\.line) == [2, 4])
        #expect(index.entries[0].position == "right wrist")
        #expect(index.entries.map(\.activity) == ["walking", "stairs"])
        #expect(index.entries.map(\.trueSteps) == [100, nil])
    }

    @Test func findsColumnsByNameInAnyOrderAndIgnoresOthers() throws {
        let index = try index(
            "\u{FEFF}class,fs,true_steps,label,position,subject,dataset,rec\r\nrunning,50,,,,,d,\"r\"\r\n")
        #expect(index.entries.map(\.name) == ["r"])
        #expect(index.entries.map(\.activity) == ["running"])
    }

    @Test func columnsThatOnlyTellMoreMayBeMissing() throws {
        let index = try index("class,rec,dataset\nwalking,a1,walks\n")
        #expect(index.faults.isEmpty)
        let entry = try #require(index.entries.first)
        #expect((entry.name, entry.dataset, entry.activity) == ("a1", "walks", "walking"))
        #expect((entry.subject, entry.position, entry.label) == ("", "", ""))
        #expect(entry.trueSteps == nil)
    }

    @Test func wholeStepsMayHaveADecimalPoint() throws {
        let index = try index("rec,dataset,class,true_steps\na,d,walking,100.0\nb,d,walking,0.5\nc,d,walking,nan\n")
        #expect(index.entries.map(\.trueSteps) == [100])
        #expect(index.faults.count == 2)
    }

    @Test(arguments: [(";", "semicolons"), ("\t", "tabs")])
    func saysWhichOtherSeparatorItFinds(separator: String, name: String) throws {
        let header = Self.header.replacingOccurrences(of: ",", with: separator)
        let file = try ScratchFile(header + "\n", named: "index.csv")
        #expect(throws: RecordingError.wrongSeparator(file: file.path, found: name)) {
            try RecordingIndex(folder: (file.path as NSString).deletingLastPathComponent)
        }
    }

    @Test(arguments: ["rec", "dataset", "class"])
    func saysWhichColumnIsMissing(column: String) throws {
        let header = Self.header.split(separator: ",").map { $0 == column ? "other" : String($0) }
        let file = try ScratchFile(header.joined(separator: ",") + "\n", named: "index.csv")
        #expect(throws: RecordingError.missingColumn(file: file.path, column: column)) {
            try RecordingIndex(folder: (file.path as NSString).deletingLastPathComponent)
        }
    }

    @Test(arguments: [
        "../x", "..", ".", ".hidden", "a/b", "/etc/passwd", "", "a\u{0}b", "a\tb", String(repeating: "a", count: 129),
    ])
    func refusesNamesThatLeadElsewhere(name: String) throws {
        for row in ["\(name),walks,s1,,,walking,", "a1,\(name),s1,,,walking,"] {
            let index = try index("\(Self.header)\n\(row)\n")
            #expect(index.entries.isEmpty)
            #expect(index.faults.count == 1)
            #expect(index.faults.first?.description.contains("is not a plain name") == true)
        }
    }

    @Test func aBrokenRowCostsOnlyItself() throws {
        let index = try index(
            "\(Self.header)\n1,2\n\(Self.row)\nb,walks,,,,walking,many\n\(Self.row)\nc,walks,,,,x,9\n")
        #expect(index.entries.map(\.name) == ["a1", "c"])
        let faults = index.faults.map(\.description)
        #expect(faults.count == 2)
        #expect(faults[0].contains("index.csv:2: 2 columns instead of 7"))
        #expect(faults[1].contains("index.csv:4: true_steps is not a number: \"many\""))
        #expect(
            index.repeats.map(\.description).first?.contains("index.csv:5: the same recording as in line 3") == true)
    }

    @Test func aCommaInQuotesIsPartOfAField() throws {
        let index = try index("\(Self.header)\na1,walks,s1,\"phone, left\",\"route, \"\"sighted\"\"\",walking,10\n")
        #expect(index.faults.isEmpty)
        #expect(index.entries.first?.position == "phone, left")
        #expect(index.entries.first?.trueSteps == 10)
    }

    /// The names of files and folders in the index; empty if it cannot be read at all.
    private func names(inIndexOf folder: String) -> [String] {
        do {
            return try RecordingIndex(folder: folder).entries.flatMap { [$0.name, $0.dataset] }
        } catch {
            return []
        }
    }

    @Test func whateverIsInItNothingLeadsOutOfTheFolder() throws {
        let seed = UInt64.random(in: 0 ... .max)
        var generator = SeededGenerator(seed: seed)
        let good = Array("\(Self.header)\n\(Self.row)\n../x,..,s,,,walking,9\n\(Self.row)\n".utf8)
        for _ in 0..<500 {
            var bytes = good
            for _ in 0..<Int.random(in: 1...6, using: &generator) {
                let place = Int.random(in: 0..<bytes.count, using: &generator)
                switch Int.random(in: 0...2, using: &generator) {
                case 0: bytes[place] = UInt8.random(in: 0...255, using: &generator)
                case 1: bytes.removeSubrange(place...)
                default: bytes.insert(contentsOf: Array("../,\n".utf8), at: place)
                }
                if bytes.isEmpty { bytes = [0] }
            }
            let file = try ScratchFile(bytes: Data(bytes), named: "index.csv")
            let names = names(inIndexOf: (file.path as NSString).deletingLastPathComponent)
            #expect(names.allSatisfy { !$0.isEmpty && !$0.hasPrefix(".") && !$0.contains("/") }, "seed \(seed)")
        }
    }
}
