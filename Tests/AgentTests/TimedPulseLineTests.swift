import System
import Core
import Sensing
import Simulation
import Testing

/// The simulated line of pulses in real time.
@Suite struct TimedPulseLineTests {
    @Test func aPulseThatWaitsWakesTheLoopUntilItIsTaken() throws {
        let loop = try EpollLoop()
        let start = loop.now.boot
        let pulses = [start + .milliseconds(20), start + .milliseconds(60)]
        let clock = VirtualClock(following: { .now })
        let devices = SimulatedDevices(
            source: RecordedWearer([], from: start), pulses: pulses, clock: clock, seed: 1)
        let line = try devices.openPulseLine()
        var taken: [BootTime] = []
        var drains = 0
        let watch = try loop.watch(try #require(line.fileDescriptor)) {
            do {
                drains += 1
                taken += try line.drain(at: loop.now.boot).pulses
            } catch {
                Issue.record(error)
            }
            if taken.count == pulses.count { loop.stop(0) }
        }
        #expect(try withExtendedLifetime(watch) { try loop.run() } == 0)
        #expect(taken == pulses)
        #expect(drains <= pulses.count, "a line without a pulse wakes nobody")
        #expect(loop.now.boot >= pulses[1])
    }
}
