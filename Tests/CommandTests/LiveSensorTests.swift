import Devices
import Domains
import Foundation
import Core
import Signal
import SimulatedBus
import Testing

@testable import anicca

/// What `anicca watch` reads, on simulated chips in virtual time.
@Suite struct LiveSensorTests {
    private static let everything = LiveView.Permitted(acceleration: true, steps: true, location: false)
    private let desk: SensorBenchDouble
    private let sensor: LiveSensor

    init() throws {
        desk = try SensorBenchDouble(noiseDensity: 0)
        sensor = LiveSensor(desk.sensor, pulseLine: nil, motionLine: nil)
    }

    @Test(arguments: SimulatedIMU.all) func everyChipShowsGravityAndAVerdict(imu: SimulatedIMU) throws {
        let desk = try SensorBenchDouble(imu, noiseDensity: 0)
        let sensor = LiveSensor(desk.sensor, pulseLine: nil, motionLine: nil)
        try desk.live(sensor, Self.everything, for: 12)
        let acceleration = try #require(sensor.view.acceleration)
        #expect(abs(acceleration.z - 1) < 0.02 && abs(acceleration.x) < 0.02)
        #expect(sensor.view.judgement?.activity == .stationary)
        #expect(sensor.view.fault == nil && sensor.view.cadence == nil)
    }

    @Test func aWalkHasACadence() throws {
        desk.walk()
        try desk.live(sensor, Self.everything, for: 40)
        #expect(sensor.view.judgement?.activity == .walking)
        let cadence = try #require(sensor.view.cadence)
        #expect((105...135).contains(cadence))
        #expect(sensor.view.steps > 50)
    }

    @Test func whatIsNotAllowedIsNotRead() throws {
        let transfers = desk.bus.statistics.transfers
        try desk.live(sensor, LiveView.Permitted(), for: 5)
        #expect(desk.bus.statistics.transfers == transfers, "the chip is asleep already")
        #expect(sensor.view.acceleration == nil && sensor.view.judgement == nil)
    }

    /// The wearer turns it off in the middle.
    @Test func whatIsTurnedOffGoesQuietAtTheNextLook() throws {
        try desk.live(sensor, Self.everything, for: 10)
        #expect(sensor.view.judgement != nil && !desk.chip.isOff)
        try desk.live(sensor, LiveView.Permitted(), for: 1)
        #expect(sensor.view.acceleration == nil && sensor.view.judgement == nil && desk.chip.isOff)
        let transfers = desk.bus.statistics.transfers
        try desk.live(sensor, LiveView.Permitted(), for: 5)
        #expect(desk.bus.statistics.transfers == transfers)
    }

    @Test func pulsesAndTheirCadenceAreCounted() throws {
        let pulses = (1...12).map { BootTime(nanoseconds: Int64($0) * 500_000_000) }
        var now = BootTime(nanoseconds: 0)
        let line = ScriptedPulseLine(clock: { now }, pulses: pulses)
        let sensor = LiveSensor(desk.sensor, pulseLine: line, motionLine: nil)
        func look(at milliseconds: Int64, _ permitted: LiveView.Permitted = Self.everything) {
            now = BootTime(nanoseconds: milliseconds * 1_000_000)
            sensor.look(at: now, permitted)
        }
        look(at: 6500)
        #expect(sensor.view.pulses == 12 && sensor.view.steps == 12)
        #expect(sensor.view.cadence == 120)
        look(at: 10_000)
        #expect(sensor.view.cadence == nil, "the walk is over")
        look(at: 11_000, LiveView.Permitted(acceleration: true))
        #expect(sensor.view.pulses == nil)
    }

    @Test func aFaultIsShownAndTheChipTriedAgain() throws {
        try desk.live(sensor, Self.everything, for: 2)
        desk.bus.fault = .lasting(.noAcknowledge)
        try desk.live(sensor, Self.everything, for: 4)
        #expect(sensor.view.fault?.contains("no device acknowledged") == true)
        #expect(sensor.view.acceleration == nil)
        desk.bus.fault = nil
        try desk.live(sensor, Self.everything, for: 2)
        #expect(sensor.view.fault == nil && sensor.view.acceleration != nil)
    }

    @Test func theDetectorCanBeTried() throws {
        try desk.live(sensor, Self.everything, for: 1)
        sensor.watchForMotion(true)
        try desk.live(sensor, Self.everything, for: 2)
        #expect(sensor.view.acceleration == nil)
        desk.felt.acceleration = { _ in Acceleration(x: 1, y: 0, z: 0) }
        try desk.live(sensor, Self.everything, for: 2)
        #expect(try desk.sensor.hasMoved())
        sensor.watchForMotion(false)
        try desk.live(sensor, Self.everything, for: 2)
        #expect(sensor.view.acceleration != nil)
    }

    @Test func aDaemonThatHadTheChipMeanwhileDoesNoHarm() throws {
        try desk.live(sensor, Self.everything, for: 2)
        desk.chip.losePower()
        sensor.setUpAgain()
        try desk.live(sensor, Self.everything, for: 2)
        #expect(sensor.view.acceleration != nil && sensor.view.fault == nil)
    }
}

extension SensorBenchDouble {
    /// Looks five times a second for so long.
    fileprivate func live(_ sensor: LiveSensor, _ permitted: LiveView.Permitted, for seconds: Int) throws {
        for _ in 0..<seconds * 5 {
            try time.wait(.milliseconds(200))
            sensor.look(at: now, permitted)
        }
    }

    /// Steps in which the hip goes up and down twice a second.
    fileprivate func walk() {
        felt.acceleration = { time in
            let phase = 2 * Double.pi * Double(time.nanoseconds % 1_000_000_000) / 500_000_000
            return Acceleration(
                x: 0.03 * Float(sin(phase / 2)), y: 0, z: 1 + 0.3 * Float(sin(phase) - 0.3 * cos(2 * phase)))
        }
    }
}
