import Foundation
import Core
import Recordings
import Testing

@Suite struct RecordingReaderTests {
    @Test func readsMillisecondsAndThousandthsOfG() throws {
        let samples = try samples(of: "t_ms,x_mg,y_mg,z_mg\n0,1000,-250,0\n40,0,0,-1000\n")
        #expect(samples.map(\.time) == [.zero, .milliseconds(40)])
        #expect(samples[0].acceleration == Acceleration(x: 1, y: -0.25, z: 0))
        #expect(samples[1].acceleration == Acceleration(x: 0, y: 0, z: -1))
        #expect(samples[0].label == nil)
    }

    @Test func readsTimesThatCountFrom1970() throws {
        let samples = try samples(of: "t_ms,x_mg,y_mg,z_mg\n1736700000000,0,0,1000\n1736700000040,0,0,1000\n")
        #expect(samples.map(\.time) == [.milliseconds(1_736_700_000_000), .milliseconds(1_736_700_000_040)])
    }

    @Test func readsALabelPerSampleAndLeavesAnEmptyOneOut() throws {
        let rows = [
            "t_ms,x_mg,y_mg,z_mg,label", "0,1,2,3,WALKING", "20,1,2,3,", "40,1,2,3,\"SITTING\"", "60,1,2,3,\"\"",
        ]
        let samples = try samples(of: rows.joined(separator: "\r\n"))
        #expect(samples.map(\.label) == ["WALKING", nil, "SITTING", nil])
    }

    @Test(arguments: [
        ("\"Time (s)\",\"Acceleration x (m/s^2)\",\"Acceleration y (m/s^2)\",\"Acceleration z (m/s^2)\"", ",", "."),
        ("\"Time (s)\";\"Acceleration x (m/s^2)\";\"Acceleration y (m/s^2)\";\"Acceleration z (m/s^2)\"", ";", ","),
        ("Time (s)\tAcceleration x (m/s^2)\tAcceleration y (m/s^2)\tAcceleration z (m/s^2)", "\t", "."),
        ("\u{FEFF}Time (s);Acceleration x (m/s²);Acceleration y (m/s²);Acceleration z (m/s²)", ";", "."),
    ])
    func readsPhyphoxExports(header: String, separator: String, point: String) throws {
        for extra in ["", "\(separator)\"Absolute acceleration (m/s^2)\""] {
            let values = ["1.5E-1", "-4.903325E0", "9.80665", "0"] + (extra.isEmpty ? [] : ["1.1E1"])
            let row = values.joined(separator: separator).replacingOccurrences(of: ".", with: point)
            let samples = try samples(of: header + extra + "\n" + row + "\n")
            #expect(samples.count == 1)
            #expect(samples[0].time == .milliseconds(150))
            #expect(abs(samples[0].acceleration.x + 0.5) < 1e-6)
            #expect(abs(samples[0].acceleration.y - 1) < 1e-6)
        }
    }

    @Test func readsDecimalCommasInQuotesBetweenCommas() throws {
        let header = "Time (s),Acceleration x (m/s^2),Acceleration y (m/s^2),Acceleration z (m/s^2)\n"
        let samples = try samples(of: header + "\"0,04\",\"9,80665\",\"0\",\"0\"\n")
        #expect(samples[0].time == .milliseconds(40))
        #expect(abs(samples[0].acceleration.x - 1) < 1e-6)
    }

    @Test func refusesLinearAcceleration() throws {
        let header =
            "\"Time (s)\",\"Linear Acceleration x (m/s^2)\",\"Linear Acceleration y (m/s^2)\","
            + "\"Linear Acceleration z (m/s^2)\"\n"
        let file = try ScratchFile(header + "0,0,0,0\n")
        #expect(throws: RecordingError.gravityRemoved(file: file.path)) { try read(file.path) }
        #expect(RecordingError.gravityRemoved(file: "a.csv").description.contains("(with g)"))
    }

    @Test(arguments: [
        ("1,2,3", RowFault.columnCount(found: 3, expected: 4)),
        ("1,2,3,4,5", .columnCount(found: 5, expected: 4)),
        ("1,2,x,4", .notANumber(column: "y_mg", text: "x")),
        ("1,nan,3,4", .notANumber(column: "x_mg", text: "nan")),
        ("1,2,3,inf", .notANumber(column: "z_mg", text: "inf")),
        ("1,2,3,0x10", .notANumber(column: "z_mg", text: "0x10")),
        ("1,2,3,", .notANumber(column: "z_mg", text: "")),
        ("1,2,3,1e", .notANumber(column: "z_mg", text: "1e")),
        ("1e400,2,3,4", .notANumber(column: "t_ms", text: "1e400")),
        ("1e300,2,3,4", .outOfRange(column: "t_ms", text: "1e300")),
        ("1,2,3,-500000", .outOfRange(column: "z_mg", text: "-500000")),
        ("-1,2,3,4", .timeGoesBackwards),
    ])
    func saysWhichRowIsBrokenAndWhy(row: String, fault: RowFault) throws {
        let file = try ScratchFile("t_ms,x_mg,y_mg,z_mg\n0,1,2,3\n\(row)\n2,1,2,3\n")
        let error = RecordingError.brokenRow(file: file.path, line: 3, fault)
        #expect(throws: error) { try read(file.path) }
        #expect(error.description.hasPrefix("\(file.path):3: \(fault)"))
    }

    @Test(arguments: [(rate: 2, isTooSlow: true), (rate: 10, isTooSlow: false)])
    func refusesARecordingWithTooFewRowsASecond(rate: Int, isTooSlow: Bool) throws {
        let rows = (0..<rate * 20).map { "\($0 * 1000 / rate),0,0,1000" }
        let file = try ScratchFile("t_ms,x_mg,y_mg,z_mg\n" + rows.joined(separator: "\n"))
        #expect(failure(reading: file.path) == (isTooSlow ? .tooSlow(file: file.path) : nil))
    }

    /// A run on the spot, 3 steps a second, as milliseconds and g at 50 Hz.
    private func run(gravity: Double, seconds: Int = 70) -> [(time: Double, z: Double)] {
        (0..<seconds * 50).map { row in
            let time = Double(row) * 20
            return (time, gravity + 1.6 * sin(2 * .pi * 0.003 * time))
        }
    }

    @Test(arguments: [
        (1.0, 1000.0, nil),
        (0, 1000, "gravity has not been taken away"),
        (1, 9.80665, "these look like m/s^2"),
        (1, 1, "these look like g"),
        (1, 5000, "check the unit"),
    ])
    func refusesWhatHoldsNoGravity(gravity: Double, unit: Double, suspicion: String?) throws {
        let rows = run(gravity: gravity).map { "\($0.time),0,0,\($0.z * unit)" }
        let file = try ScratchFile("t_ms,x_mg,y_mg,z_mg\n" + rows.joined(separator: "\n"))
        let message = failure(reading: file.path)?.description
        guard let suspicion else { return #expect(message == nil) }
        #expect(message?.hasPrefix("\(file.path): gravity is ") == true, "\(message ?? "no error")")
        #expect(message?.hasSuffix(suspicion) == true || message?.contains(suspicion + ",") == true)
    }

    /// A hand that waves for seconds may turn so that the mean of its acceleration is less than 0.1 g.
    @Test(arguments: [(1000.0, nil), (9.80665, "these look like m/s^2"), (1, "these look like g")])
    func aShortRecordingIsJudgedByItsUnitAlone(unit: Double, suspicion: String?) throws {
        let rows = run(gravity: 0, seconds: 20).map { "\($0.time),0,0,\($0.z * unit)" }
        let file = try ScratchFile("t_ms,x_mg,y_mg,z_mg\n" + rows.joined(separator: "\n"))
        let message = failure(reading: file.path)?.description
        guard let suspicion else { return #expect(message == nil) }
        #expect(message?.contains(suspicion) == true, "\(message ?? "no error")")
    }

    @Test func refusesAnExportInMetresThatHoldsG() throws {
        let header = "Time (s),Acceleration x (m/s^2),Acceleration y (m/s^2),Acceleration z (m/s^2)\n"
        let rows = run(gravity: 1).map { "\($0.time / 1000),0,0,\($0.z)" }
        let file = try ScratchFile(header + rows.joined(separator: "\n"))
        let message = failure(reading: file.path)?.description
        #expect(
            message?.contains("the columns are in m/s^2 and include gravity; these look like g") == true,
            "\(message ?? "no error")")
    }

    @Test(arguments: [
        (1.0, false, false), (1e-3, false, true), (1e3, true, false), (1e6, true, false),
    ])
    func refusesTimesInOtherUnits(scale: Double, isTooSlow: Bool, isTooFast: Bool) throws {
        let rows = run(gravity: 1).map { "\($0.time * scale),0,0,\($0.z * 1000)" }
        let file = try ScratchFile("t_ms,x_mg,y_mg,z_mg\n" + rows.joined(separator: "\n"))
        let error = failure(reading: file.path)
        #expect((error == .tooSlow(file: file.path)) == isTooSlow)
        #expect((error == .tooFast(file: file.path)) == isTooFast)
    }

    @Test func refusesALineWithoutEndInBoundedMemory() throws {
        let file = try ScratchFile("t_ms,x_mg,y_mg,z_mg\n0,1,2," + String(repeating: "3", count: 100_000))
        #expect(throws: RecordingError.brokenRow(file: file.path, line: 2, .tooLong(limit: 4096))) {
            try read(file.path)
        }
    }

    @Test(arguments: ["", "t_ms,x_mg,y_mg,z_mg\n", "t_ms,x_mg,y_mg,z_mg\n\n"])
    func refusesAFileWithoutSamples(text: String) throws {
        let file = try ScratchFile(text)
        #expect(throws: RecordingError.empty(file: file.path)) { try read(file.path) }
    }

    @Test(arguments: ["0,1,2,3", "t_s,count,hr_feature,psg", "t_ms,x_mg,y_mg", "Time (s),Pressure (hPa)"])
    func refusesUnknownColumns(header: String) throws {
        let file = try ScratchFile(header + "\n1,2,3,4\n")
        #expect(throws: RecordingError.unknownHeader(file: file.path, header: header)) { try read(file.path) }
    }

    @Test func doesNotWaitForAPipe() throws {
        let file = try ScratchFile("")
        let path = (file.path as NSString).deletingLastPathComponent + "/pipe.csv"
        #expect(mkfifo(path, 0o600) == 0)
        #expect(throws: RecordingError.unreadable(file: path, reason: "not a regular file")) { try read(path) }
    }

    @Test func saysThatAFileIsMissingOrIsAFolder() throws {
        #expect(throws: RecordingError.unreadable(file: "/no/such.csv", reason: "No such file or directory")) {
            try read("/no/such.csv")
        }
        #expect(throws: RecordingError.unreadable(file: "/", reason: "Is a directory")) { try read("/") }
    }

    @Test func readsGzip() throws {
        let file = try ScratchFile(bytes: Self.gzip)
        let samples = try read(file.path)
        #expect(samples.count == 60)
        #expect(samples.last?.time == .milliseconds(1180))
    }

    @Test func noticesAGzipThatIsCutOffAnywhereAfterItsHeader() throws {
        for length in 10..<Self.gzip.count {
            let file = try ScratchFile(bytes: Self.gzip.prefix(length))
            guard case .damagedArchive = failure(reading: file.path) else {
                Issue.record("cut to \(length): \(String(describing: failure(reading: file.path)))")
                continue
            }
        }
    }

    /// 60 rows of t_ms,x_mg,y_mg,z_mg at 50 Hz.
    private static let gzip =
        Data(
            base64Encoded: """
                H4sIAAAAAAACA0WTMW4DQQhFe84yBTAMw5zGZapUSZHk9GH/X3llyTaSl//g4e/X59f4eX1+jN/r7a/fRMf1MlUV7885po5zjoQO
                z+G7i5LUMc9w72JL6Vg+bHWR0g+OXCO7WGLdYdf13DkhFug8u5hiia9+unKxQne7Glrnsn101RSO/vNmCvQ3A5QnAoxUXleAG6im
                MmACazrxJ7hmMMDANZMDbIDNegK8p0bABFc4+hMrAv0bGVyRDDhcViEAs5YsRQDWsGX5e0MpKzjAAtdKBDiwVnEAYqWiP2S4pKO/
                AiuDC1JwZaJ9PwauLCpwcG2FggWsTb+k2rdfYu18+JdsGsZs0bq5IAdX3YoDXAXF3FbRMBapUrfhG+voY+DIoWLnug4Vo9pyqBi/
                TDlQDFXrurUnou9LKfk+MI3nivrC9LbMEzOlZsykYkbPdl+ZGVUn8Mzivanqiqqxxd1lPX+GlH9gES/uUwMAAA==
                """, options: .ignoreUnknownCharacters) ?? Data()
}

private func failure(reading path: String) -> RecordingError? {
    do {
        _ = try read(path)
        return nil
    } catch {
        return error as? RecordingError
    }
}
