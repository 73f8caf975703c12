import Foundation
import Devices
import Core
import Testing

@testable import rig_hardware

/// The chip's INT pin on a file that stands for a line.
@Suite final class InterruptPinTests {
    private let pull = FileManager.default.temporaryDirectory.appending(path: "pull-\(UUID().uuidString)")
    private let clock = Clock()
    private let adapter: SimulatedAdapter
    private let pin: InterruptPin

    private final class Clock {
        var now = BootTime(nanoseconds: 0)
    }

    init() throws {
        try Data().write(to: pull)
        adapter = SimulatedAdapter(moving: .table, timeout: .zero, clock: { [clock] in clock.now }, noiseDensity: 0)
        pin = try InterruptPin(pull: pull.path, adapter: adapter)
    }

    deinit { try? FileManager.default.removeItem(at: pull) }

    private func set(_ register: UInt8, _ value: UInt8) throws {
        _ = try adapter.perform([.write([register, value])], with: I2CAddress(0x68))
    }

    /// Lets half a second pass, serving the pin as the program's loop does.
    private func wait() throws {
        let end = clock.now + .milliseconds(500)
        while let next = pin.deadline, next < end {
            clock.now = next
            try pin.serve([])
        }
        clock.now = end
        try pin.serve([])
    }

    /// Arms the chip as a driver does for a rest: the low-power cycle at 5 Hz, with the present posture held as the
    /// reference for movement.
    private func arm() throws {
        try set(0x6B, 0x08)
        try set(0x6C, 0x47)
        try set(0x1F, 2)
        try set(0x20, 1)
        try wait()
        try set(0x1C, 0x07)
        try set(0x38, 0x40)
        try set(0x6B, 0x28)
    }

    @Test func movementRaisesTheLine() throws {
        try arm()
        for _ in 0..<6 { try wait() }
        #expect(pin.rises == 0)
        _ = adapter.obey(.motion(.walking))
        for _ in 0..<6 { try wait() }
        #expect(pin.rises > 0)
        #expect(try String(contentsOf: pull, encoding: .utf8).hasPrefix("pull-down"))
    }

    @Test func aChipThatIsNotArmedKeepsQuiet() throws {
        _ = adapter.obey(.motion(.running))
        for _ in 0..<6 { try wait() }
        #expect(pin.rises == 0)
    }

    @Test func theLoopLooksAgainWithinASecond() throws {
        #expect(pin.deadline == clock.now + .seconds(1))
    }
}
