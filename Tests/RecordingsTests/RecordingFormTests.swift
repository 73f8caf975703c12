import Core
import Recordings
import Testing

/// Tables of other programs, as they are exported: the sensor shows half a g on x, a second after the first row.
@Suite struct RecordingFormTests {
    struct Export {
        let name: String
        let lines: [String]
        var second = Interval.seconds(1)
        var start = Interval.zero
    }

    static let exports = [
        Export(
            name: "phyphox, German",
            lines: [
                "\"Zeit (s)\";\"Beschleunigung x (m/s^2)\";\"Beschleunigung y (m/s^2)\";\"Beschleunigung z (m/s^2)\"",
                "0;0;0;9,8", "1,0E0;4,903325;0;8,5",
            ]),
        Export(
            name: "phyphox, in g",
            lines: ["Time (s),Acceleration x (g),Acceleration y (g),Acceleration z (g)", "0,0,0,1", "1,0.5,0,0.8"]),
        Export(
            name: "Sensor Logger",
            lines: [
                "time,seconds_elapsed,z,y,x", "1700000000000000000,0,9.8,0,0", "1700000001000000000,1,8.5,0,4.903325",
            ]),
        Export(
            name: "SensorLog",
            lines: [
                "loggingTime(txt),accelerometerTimestamp_sinceReboot(s),accelerometerAccelerationX(G),"
                    + "accelerometerAccelerationY(G),accelerometerAccelerationZ(G)",
                "2025-01-15 10:00:00.000 +0100,100.25,0,0,-1", "2025-01-15 10:00:01.000 +0100,101.25,0.5,0,-0.8",
            ], start: .milliseconds(100_250)),
        Export(
            name: "OmGui, without a header",
            lines: ["2025-01-15 10:00:00.020,0,0,1", "2025-01-15 10:00:01.020,0.5,0,0.8"],
            start: .milliseconds(1_736_935_200_020)),
        Export(
            name: "actipy", lines: ["time,x,y,z", "2025-01-15T10:00:00.5Z,0,0,1", "2025-01-15T10:00:01.5Z,0.5,0,0.8"],
            start: .milliseconds(1_736_935_200_500)),
        Export(
            name: "ActiLife, with times",
            lines: actiLife + [
                "Timestamp,Accelerometer X,Accelerometer Y,Accelerometer Z", "1/15/2025 10:00:00.000,0,0,1",
                "1/15/2025 10:00:01.000,0.5,0,0.8",
            ], start: .seconds(1_736_935_200)),
        Export(
            name: "ActiLife, without times",
            lines: actiLife + ["Accelerometer X,Accelerometer Y,Accelerometer Z", "0,0,1", "0.5,0,0.8"],
            second: Interval(nanoseconds: 33_333_333)),
        Export(name: "Physics Toolbox", lines: ["time,gFx,gFy,gFz,TgF", "0,0,0,1,1", "1,0.5,0,0.8,0.94"]),
    ]

    private static let actiLife =
        [
            "------------ Data File Created By ActiGraph GT3X+ ActiLife v6.13.3 Firmware v2.5.0 date format M/d/yyyy at 30 "
                + "Hz Filter Normal -----------",
            "Serial Number: CLE1B00000000", "Start Time 10:00:00", "Start Date 1/15/2025",
            "Epoch Period (hh:mm:ss) 00:00:00",
            "Download Time 12:00:00", "Download Date 1/15/2025", "Current Memory Address: 0",
            "Current Battery Voltage: 4.11     Mode = 12", "--------------------------------------------------",
        ]

    @Test(arguments: exports)
    func readsWhatOtherProgramsExport(export: Export) throws {
        let file = try ScratchFile(export.lines.joined(separator: "\n") + "\n")
        let reader = try RecordingReader(path: file.path)
        let (first, second) = (try #require(try reader.next()), try #require(try reader.next()))
        #expect(first.time == export.start, "\(export.name)")
        #expect(second.time - first.time == export.second, "\(export.name)")
        #expect(abs(second.acceleration.x - 0.5) < 1e-6, "\(export.name)")
        #expect(abs(second.acceleration.y) < 1e-6 && abs(second.acceleration.z) > 0.7, "\(export.name)")
        #expect(try reader.next() == nil)
    }

    @Test func readsColumnsThatAPersonNames() throws {
        let file = try ScratchFile("when;what;c;b;a\n0;no;1000;0;0\n40;no;800;0;500\n")
        let columns = try #require(
            RecordingColumns(["when", "a", "b", "c"], unit: .thousandthOfG, timeUnit: .milliseconds))
        let reader = try RecordingReader(path: file.path, columns: columns)
        #expect(try reader.next()?.acceleration == Acceleration(x: 0, y: 0, z: 1))
        let second = try #require(try reader.next())
        #expect(second.time == .milliseconds(40) && second.acceleration.x == 0.5)
        let other = try #require(RecordingColumns(["when", "a", "b", "d"], unit: .g, timeUnit: .seconds))
        #expect(throws: RecordingError.missingColumn(file: file.path, column: "d")) {
            try RecordingReader(path: file.path, columns: other)
        }
        #expect(RecordingColumns(["t", "x", "y"], unit: .g, timeUnit: .seconds) == nil)
    }

    static let broken = [
        "2025-13-15 10:00:01", "2025-02-30 10:00:01", "2025-01-15 24:00:01", "2025-01-15 10:61:01", "10:00:01",
        "0000-01-15 10:00:01", "9999-01-15 10:00:01", "2025-01-15 10:00:1111111111", "::::::", "-1-1-1 -1:-1:-1",
    ]

    @Test(arguments: broken)
    func refusesATimeThatIsNone(text: String) throws {
        let file = try ScratchFile("time,x,y,z\n2025-01-15 10:00:00,0,0,1\n\(text),0,0,1\n2025-01-15 10:00:02,0,0,1\n")
        let reader = try RecordingReader(path: file.path)
        _ = try reader.next()
        #expect(throws: RecordingError.self) { try reader.next() }
    }

    @Test func refusesPhysicsToolboxWithoutGravity() throws {
        let file = try ScratchFile("time,ax,ay,az,aT\n0,0,0,0,0\n")
        #expect(throws: RecordingError.gravityRemoved(file: file.path)) { try RecordingReader(path: file.path) }
    }

    @Test func refusesAPreambleWithoutATable() throws {
        for lines in [
            Self.actiLife, Array(Self.actiLife.prefix(1)), Self.actiLife.dropLast() + Array(repeating: "x", count: 30),
        ] {
            let file = try ScratchFile(lines.joined(separator: "\n") + "\n")
            #expect(throws: RecordingError.empty(file: file.path)) { try RecordingReader(path: file.path) }
        }
    }

    @Test func leavesOutALastRowThatIsCutOffWhereThatIsAskedFor() throws {
        let text = "t_ms,x_mg,y_mg,z_mg\n0,0,0,1000\n40,0,0,1000\n80,0,-"
        let file = try ScratchFile(text)
        let reader = try RecordingReader(path: file.path, toleratesCut: true)
        for _ in 0..<2 { #expect(try reader.next() != nil) }
        #expect(try reader.next() == nil && reader.isCutOff)
        #expect(try reader.next() == nil)

        let strict = try RecordingReader(path: file.path)
        for _ in 0..<2 { _ = try strict.next() }
        #expect(throws: RecordingError.self) { try strict.next() }

        let ended = try ScratchFile(text + "\n")
        let whole = try RecordingReader(path: ended.path, toleratesCut: true)
        for _ in 0..<2 { _ = try whole.next() }
        #expect(throws: RecordingError.self, "a broken row with its end is no cut") { try whole.next() }
    }
}
