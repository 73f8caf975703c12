import Core
import Recordings
import Testing

/// Lines lie in a buffer of 32 KB and the begin of a line, wherever reading was interrupted.
@Suite struct LineBufferTests {
    private static let header = "t_ms,x_mg,y_mg,z_mg"

    /// Empty lines shift the rows, so that each byte of a row is the last that is read at once.
    @Test(arguments: ["\n", "\r\n"]) func aRowMayLieAcrossTwoReads(end: String) throws {
        let rows = (0..<2500).map { "\($0 * 40),\($0 % 7),-\($0 % 5).5,1e3" }
        for shift in 0..<25 {
            let text = ([Self.header] + [String](repeating: "", count: shift) + rows).joined(separator: end)
            #expect(text.utf8.count > 40_000)
            let samples = try samples(of: text)
            #expect(samples.count == rows.count, "shifted by \(shift)")
            for (index, sample) in samples.enumerated() {
                let felt = Acceleration(
                    x: Float(Double(index % 7) / 1000), y: -Float((Double(index % 5) + 0.5) / 1000), z: 1)
                guard sample.time != .milliseconds(40 * Int64(index)) || (sample.acceleration - felt).magnitude > 1e-6
                else { continue }
                Issue.record("row \(index) shifted by \(shift): \(sample)")
                return
            }
        }
    }

    @Test(arguments: [0, 20_000, 28_600, 28_700, 32_700]) func theLongestLineIsReadAndALongerOneRefused(before: Int)
        throws
    {
        let filling = String(repeating: "\n", count: before)
        for (length, isRead) in [(4096, true), (4097, false)] {
            let row = "0,0,0,"
            let line = row + String(repeating: " ", count: length - row.utf8.count - 4) + "1000"
            let file = try ScratchFile("\(Self.header)\n\(filling)\(line)\n40,0,0,1000\n")
            let reader = try RecordingReader(path: file.path)
            if isRead {
                #expect(try reader.next()?.acceleration == Acceleration(x: 0, y: 0, z: 1))
                #expect(try reader.next()?.time == .milliseconds(40))
                #expect(try reader.next() == nil)
            } else {
                let error = RecordingError.brokenRow(file: file.path, line: before + 2, .tooLong(limit: 4096))
                #expect(throws: error) { try reader.next() }
            }
        }
    }
}
