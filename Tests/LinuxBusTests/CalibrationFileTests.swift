import System
import Foundation
import Devices
import Core
import SimulatedBus
import Testing

@Suite struct CalibrationFileTests {
    private let address: I2CAddress

    init() throws { address = try #require(I2CAddress(0x18)) }

    private func calibration(_ chip: String, offset: Float = 0.0123) -> StoredCalibration {
        StoredCalibration(
            chip: chip, address: address, madeAt: WallTime(secondsSinceEpoch: 1_800_000_000),
            correction: Correction(
                offset: Acceleration(x: offset, y: -0.0021, z: 0), gain: Acceleration(x: 1.0125, y: 0.9987, z: 1)),
            errorBefore: 0.031, errorAfter: 0.0009)
    }

    @Test func whatIsKeptIsReadAgain() throws {
        try withScratchDirectory { directory in
            let file = CalibrationFile(in: directory)
            #expect(try file.read() == [])
            #expect(try file.calibration(of: "lis3dh", at: address) == nil)
            try file.keep(calibration("lis3dh"))
            try file.keep(calibration("mpu6050"))
            try file.keep(calibration("lis3dh", offset: 0.05))
            let kept = try #require(try file.calibration(of: "lis3dh", at: address))
            #expect(abs(kept.correction.offset.x - 0.05) < 1e-6 && abs(kept.correction.gain.y - 0.9987) < 1e-6)
            #expect(kept.madeAt == WallTime(secondsSinceEpoch: 1_800_000_000) && abs(kept.errorAfter - 0.0009) < 1e-6)
            #expect(try file.read().map(\.chip) == ["mpu6050", "lis3dh"])
            let other = try #require(I2CAddress(0x19))
            #expect(try file.calibration(of: "lis3dh", at: other) == nil)
            let mode = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int
            #expect(mode == 0o600)
            #expect(try fileNames(in: directory) == ["calibration"], "no draft is left")
            #expect(try file.remove() && !file.remove())
        }
    }

    private static let broken = [
        "lis3dh", "lis3dh 0x18", "\0\0\0\0", "lis3dh 18 2027-01-15T08:00:00Z 1000000 1000000 1000000 0 0 0 0 0",
        "lis3dh 0x18 2027-01-15T08:00:00Z 1000000 1000000 1000000 0 0 0 0",
        "lis3dh 0x18 2027-01-15T08:00:00Z 1000000 1000000 1000000 0 0 0 0 0 0",
        "lis3dh 0x18 2027-01-15T08:00:00Z 1000000 1000000 1300000 0 0 0 0 0",
        "lis3dh 0x18 2027-01-15T08:00:00Z 1000000 1000000 1000000 0 200001 0 0 0",
        "lis3dh 0x18 2027-01-15T08:00:00Z 1000000 1000000 1000000 0 nan 0 0 0",
        "lis3dh 0x18 2027-01-15T08:00:00Z 1000000 1000000 1000000 0 99999999999999999999 0 0 0",
        "lis3dh 0x18 2027-01-15T08:00:00Z 1000000 1000000 1000000 0 0 0 -1 0",
        "lis3dh 0x18 yesterday 1000000 1000000 1000000 0 0 0 0 0",
        "lis3dh 0x98 2027-01-15T08:00:00Z 1000000 1000000 1000000 0 0 0 0 0",
    ]

    @Test(arguments: broken) func whatIsNoCalibrationIsToldAndReplaced(line: String) throws {
        try withScratchDirectory { directory in
            let file = CalibrationFile(in: directory)
            try "# anicca\n\(line)\n".write(toFile: file.path, atomically: false, encoding: .utf8)
            #expect(throws: CalibrationError.broken(path: file.path, line: 2)) { try file.read() }
            #expect("\(CalibrationError.broken(path: "p", line: 2))".hasPrefix("p:2: not a calibration; run: "))
            try file.keep(calibration("lis3dh"))
            #expect(try file.read().count == 1)
        }
    }

    @Test func whatIsNoFileOfThisKindIsLeftAlone() throws {
        try withScratchDirectory { directory in
            let file = CalibrationFile(in: directory)
            let large = String(repeating: "#", count: 5000)
            try large.write(toFile: file.path, atomically: false, encoding: .utf8)
            #expect(throws: CalibrationError.unreadable(.tooLarge(path: file.path, limit: 4096))) { try file.read() }
            #expect(throws: CalibrationError.self) { try file.keep(calibration("lis3dh")) }
            try FileManager.default.removeItem(atPath: file.path)
            try FileManager.default.createDirectory(atPath: file.path, withIntermediateDirectories: false)
            #expect(throws: CalibrationError.self) { try file.read() }
            #expect(throws: CalibrationError.self) { try file.remove() }
            try FileManager.default.removeItem(atPath: file.path)
            try FileManager.default.createSymbolicLink(atPath: file.path, withDestinationPath: "/dev/zero")
            #expect(throws: CalibrationError.unreadable(.notRegular(path: file.path, .symbolicLink))) {
                try file.read()
            }
            #expect(throws: CalibrationError.self) {
                try CalibrationFile(in: "\(directory)/none").keep(calibration("x"))
            }
        }
    }

    @Test func itNeverGrowsBeyondWhatCanBeRead() throws {
        try withScratchDirectory { directory in
            let file = CalibrationFile(in: directory)
            for number in 0..<40 { try file.keep(calibration("chip\(number)")) }
            #expect(try file.read().map(\.chip).last == "chip39")
            #expect(try file.read().count == 16)
        }
    }

    @Test func changedBytesNeverCrash() throws {
        try withScratchDirectory { directory in
            let file = CalibrationFile(in: directory)
            try file.keep(calibration("lis3dh"))
            let whole = [UInt8](try Data(contentsOf: URL(fileURLWithPath: file.path)))
            var chance = SeededGenerator(seed: 1)
            for _ in 0..<300 {
                var bytes = whole
                for _ in 0..<3 {
                    bytes[.random(in: bytes.indices, using: &chance)] = .random(in: 0...255, using: &chance)
                }
                try Data(bytes).write(to: URL(fileURLWithPath: file.path))
                do {
                    for kept in try file.read() {
                        #expect(abs(kept.correction.gain.x - 1) < 0.21 && kept.correction.offset.magnitude < 0.35)
                    }
                } catch {}
            }
        }
    }
}
