import CGlibc
import Chips
import LinuxBus
import Ports
import Quantities
import Sensing
import SimulatedBus

/// An accelerometer on a bus of the kernel or, where there is none, a simulated MPU-6050 on a simulated bus. No lines, inbox or gpsd.
final class Devices: SensingDevices {
    private let path: String?
    private let loop: Loop
    private let simulated: SimulatedI2CBus
    private var bus: LinuxI2CBus?

    /// - Parameter path: nil for the simulated bus.
    init(path: String?, loop: Loop) {
        self.path = path
        self.loop = loop
        let clock = { loop.now.boot }
        let chip = SimulatedMPU6050(source: Routine(), clock: clock, seed: 1)
        simulated = SimulatedI2CBus(clock: clock, chips: Chip.mpu6050.addresses.prefix(1).map { ($0, chip) })
    }

    var sensorPlace: String { path ?? "the simulated bus" }
    var pulseLinePlace: String { "no line" }
    var hasMotionLine: Bool { false }
    var hasPulseLine: Bool { false }

    func openSensor() throws(SensorError) -> any Accelerometer {
        let search = SensorSearch()
        let place: SensorSearch.Place
        if let path {
            let opened: LinuxI2CBus
            do {
                opened = try LinuxI2CBus(path: path)
            } catch {
                throw search.unreachable(error)
            }
            bus = opened
            place = try search.find(on: opened)
            return place.chip.driver(on: opened, at: place.address)
        }
        place = try search.find(on: simulated)
        return place.chip.driver(on: simulated, at: place.address)
    }

    func closeSensor() {
        bus?.close()
        bus = nil
    }

    func openPulseLine() throws(BusError) -> any PulseLine { throw .absent }
    func closePulseLine() {}
}

/// A wearer who walks for ten minutes of every half hour, and sits for the others, with small movements.
final class Routine: AccelerationSource {
    func acceleration(at time: BootTime) -> Acceleration {
        let seconds = Double(time.nanoseconds) / 1e9
        let isWalking = (time.nanoseconds / 60_000_000_000) % 30 < 10
        let stride = sin(2 * Double.pi * 1.9 * seconds)
        guard isWalking else {
            let sway = 0.02 * sin(2 * Double.pi * seconds / 37)
            return Acceleration(x: Float(0.5 + sway), y: Float(sway), z: 0.866)
        }
        return Acceleration(x: Float(0.2 * stride), y: Float(0.15 * stride), z: Float(1 + 0.45 * stride))
    }
}
