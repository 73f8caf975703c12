import Domains
import Foundation
import Loopback
import Ports
import Quantities
import TestFiles
import Testing

@testable import Gpsd

/// gpsd itself, with a receiver that gpsfake(1) plays from a log of NMEA sentences.
@Suite(.enabled(if: FakeReceiver.isInstalled, "gpsd or gpsfake is not installed: apt install gpsd gpsd-clients"))
struct RealGPSDTests {
    @Test func aTrackComesAsFixesAndThenTheEnd() throws {
        let directory = try TemporaryDirectory()
        let track = Track()
        let receiver = try FakeReceiver(playing: try directory.write("track.nmea", track.sentences))
        var connection = try receiver.connect()
        var fixes: [Fix] = []
        var failure: PositionError?
        // In its first second with the receiver gpsd does not know all of it.
        var settled: [Fix] { Array(fixes.drop { $0.mode == .twoD || $0.wall == nil || $0.error == nil }) }
        while settled.count < 5, failure == nil {
            waitForBytes(connection)
            do {
                fixes += try connection.drain(at: BootTime(nanoseconds: Int64(fixes.count)))
            } catch {
                failure = error
            }
        }
        #expect(failure == nil)
        for fix in settled {
            let second = Int((try #require(fix.wall) - Track.start).inSeconds)
            let expected = try #require(track.position(at: second))
            #expect((fix.position.latitude - expected.latitude).magnitude < 1e-6)
            #expect((fix.position.longitude - expected.longitude).magnitude < 1e-6)
            #expect(fix.mode == .threeD && fix.wall == Track.start + .seconds(Int64(second)))
            // 2.5 knots.
            #expect(abs((fix.speed ?? 0) - 1.286) < 0.01)
            let error = try #require(fix.error)
            #expect((1...100).contains(error))
        }
        #expect(Set(settled.map(\.wall)).count == settled.count)

        try GPSDConnection.check(.port(receiver.port), within: .seconds(30))
        connection = try receiver.connect()
        receiver.end()
        #expect(throws: PositionError.closed) {
            while true {
                waitForBytes(connection)
                _ = try connection.drain(at: BootTime(nanoseconds: 0))
            }
        }
        #expect(throws: PositionError.absent) { try GPSDConnection(.port(receiver.port)) }
    }
}

/// A walk to the north-east, a hundredth of a minute of arc a second.
private struct Track {
    static let start = WallTime(secondsSinceEpoch: 1_781_784_000)  // 2026-06-18T12:00:00Z
    private let seconds = 0..<600

    func position(at second: Int) -> Coordinates? {
        let offset = Double(second) * 0.01 / 60
        return seconds.contains(second) ? Coordinates(latitude: 52.5 + offset, longitude: 13.4 + offset) : nil
    }

    /// With the date and the speed in RMC, the height in GGA, the kind of fix in GSA and the estimated errors in GST.
    var sentences: String {
        seconds.map { second in
            let time = String(format: "12%02d%02d.00", second / 60, second % 60)
            let minutes = Double(second) * 0.01
            let place = String(format: "52%08.5f,N,013%08.5f,E", 30 + minutes, 24 + minutes)
            return [
                "GPRMC,\(time),A,\(place),2.500,40.0,180626,,,A", "GPGGA,\(time),\(place),1,08,1.0,50.0,M,40.0,M,,",
                "GPGSA,A,3,01,02,03,04,05,06,07,08,,,,,1.8,1.0,1.5", "GPGST,\(time),3.0,4.0,3.0,0.0,3.0,4.0,6.0",
            ].map { body in
                "$\(body)*" + String(format: "%02X", body.utf8.reduce(UInt8(0), ^)) + "\r\n"
            }.joined()
        }.joined()
    }
}

/// gpsfake(1), which starts a gpsd on a port of its own, feeds it through a terminal, and ends it. At the end of the log it ends too.
private final class FakeReceiver {
    let port: UInt16
    private let process = Process()

    private static let gpsfake = "/usr/bin/gpsfake"
    static var isInstalled: Bool {
        [gpsfake, "/usr/sbin/gpsd", "/usr/bin/python3"].allSatisfy { FileManager.default.isExecutableFile(atPath: $0) }
    }

    init(playing log: String) throws {
        port = try LoopbackListener().port
        // It is to end by SIGTERM, which this thread may block, and what it starts inherits.
        process.executableURL = URL(fileURLWithPath: "/usr/bin/python3")
        process.arguments = [
            "-c",
            "import os, signal, sys; signal.pthread_sigmask(signal.SIG_SETMASK, ()); os.execv(sys.argv[1], sys.argv[1:])",
            Self.gpsfake, "-1", "-q", "-c", "0.02", "-P", "\(port)", log,
        ]
        process.environment = ["PATH": "/usr/sbin:/usr/bin:/sbin:/bin"]
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
    }

    deinit { end() }

    func end() {
        if process.isRunning { process.terminate() }
        process.waitUntilExit()
        // gpsfake leaves its socket behind.
        unlink("/tmp/gpsfake-\(process.processIdentifier).sock")
    }

    /// Once gpsd listens.
    func connect() throws -> GPSDConnection {
        while process.isRunning {
            do throws(PositionError) {
                return try GPSDConnection(.port(port))
            } catch {
                guard error == .absent else { throw error }
                usleep(20_000)
            }
        }
        throw PositionError.absent
    }
}
