import Core
import Recordings
import Testing

@Suite struct FootStepTests {
    @Test func readsTheStepsInOrder() throws {
        let file = try ScratchFile("t_ms,foot\n1109,1\n1791,2\n2400,L\n3100,R\n")
        let steps = try FootStep.read(path: file.path)
        #expect(steps.map(\.time) == [1109, 1791, 2400, 3100].map { Interval.milliseconds($0) })
        #expect(steps.map(\.foot) == [1, 2, 1, 2])
    }

    @Test(arguments: [
        ("1,1,1", RowFault.columnCount(found: 3, expected: 2)),
        ("x,1", .notANumber(column: "t_ms", text: "x")),
        ("-9223372036854775808,1", .notANumber(column: "t_ms", text: "-9223372036854775808")),
        ("1,3", .outOfRange(column: "foot", text: "3")),
    ])
    func saysWhichRowIsBroken(row: String, fault: RowFault) throws {
        let file = try ScratchFile("t_ms,foot\n\(row)\n")
        #expect(throws: RecordingError.brokenRow(file: file.path, line: 2, fault)) {
            try FootStep.read(path: file.path)
        }
    }
}
