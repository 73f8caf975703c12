import Core
import Recordings
import Testing

@Suite struct MovementTableTests {
    private func rows(_ text: String) throws -> [MovementTable.Row] {
        let file = try ScratchFile(text, named: "night.csv")
        return try withExtendedLifetime(file) { try MovementTable(path: file.path).rows }
    }

    @Test func findsItsColumnsByNameAndIgnoresOthers() throws {
        let rows = try rows("\u{FEFF}psg,count,\"t_s\"\r\n0,3.5,0\r\n\r\n2,1e1,30.5\r\n")
        #expect(rows.map(\.time) == [.zero, .milliseconds(30_500)])
        #expect(rows.map(\.count) == [3.5, 10])
    }

    @Test(arguments: [
        ("t_s,count\n", true), ("count,psg\n", true), ("psg;t_s;count\n", true), ("t_ms,x_mg,y_mg,z_mg\n", false),
        ("\"Time (s)\",\"count\"\n", false), ("a,b\n", false), ("", false),
    ])
    func tellsATableFromARecording(header: String, isTable: Bool) throws {
        let file = try ScratchFile(header)
        withExtendedLifetime(file) { #expect(MovementTable.isNamed(by: file.path) == isTable) }
    }

    @Test func aFileThatIsNotThereIsNoTable() {
        #expect(!MovementTable.isNamed(by: "/nonexistent"))
    }

    @Test(arguments: [
        ("30", RowFault.columnCount(found: 1, expected: 2)),
        ("30,", .notANumber(column: "count", text: "")),
        ("30,many", .notANumber(column: "count", text: "many")),
        ("soon,1", .notANumber(column: "t_s", text: "soon")),
        ("30,-1", .outOfRange(column: "count", text: "-1")),
        ("30,1e13", .outOfRange(column: "count", text: "1e13")),
        ("-1,1", .timeGoesBackwards),
        ("1e10,1", .outOfRange(column: "t_s", text: "1e10")),
        ("604801,1", .outOfRange(column: "t_s", text: "604801 s, over 7 days after the first row")),
    ])
    func aBrokenRowIsNamedWithItsLine(row: String, fault: RowFault) throws {
        let file = try ScratchFile("t_s,count\n0,1\n\(row)\n", named: "night.csv")
        #expect(throws: RecordingError.brokenRow(file: file.path, line: 3, fault)) {
            try MovementTable(path: file.path)
        }
    }

    @Test func aTableWithoutRowsIsEmpty() throws {
        let file = try ScratchFile("t_s,count\n", named: "night.csv")
        #expect(throws: RecordingError.empty(file: file.path)) { try MovementTable(path: file.path) }
    }

    @Test func saysWhichColumnIsMissing() throws {
        for (header, column) in [("t_s,psg", "count"), ("count,psg", "t_s")] {
            let file = try ScratchFile("\(header)\n0,1\n", named: "night.csv")
            #expect(throws: RecordingError.missingColumn(file: file.path, column: column)) {
                try MovementTable(path: file.path)
            }
        }
    }
}
