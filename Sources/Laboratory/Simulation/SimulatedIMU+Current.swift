import Core
import Devices
import SimulatedBus

extension SimulatedIMU {
    /// Typical currents in µA: during samples for a window, while the FIFO fills slowly, while the chip watches for
    /// movement as armed by its driver, and asleep. Nothing was measured.
    ///
    /// Those of the MPU-6050 are in PS-MPU-6000A-00 rev 3.4, §6.2, from memory: 500 µA for the accelerometer alone, 20
    /// µA for its low-power mode at 5 Hz (10, 70 and 140 µA at 1.25, 20 and 40 Hz), and 5 µA for full-chip idle. All
    /// others are typical values of the makers' data sheets from memory, because none were available; rates between two
    /// values are interpolated linearly.
    public var current: (measuring: Double, slow: Double, watching: Double, asleep: Double) {
        switch id {
        // The same at every rate: the accelerometer converts at 1 kHz, and samples are skipped.
        case "mpu6050": (500, 500, 20, 5)
        // 450 µA low-noise at every rate; 7.3 µA at 0.98 Hz and 18.7 µA at 31.25 Hz.
        case "mpu6500": (450, 450, 8.4, 6)
        // High resolution at 25 Hz, and at 1 Hz; low power at 10 Hz.
        case "lis3dh": (6, 2, 3, 0.5)
        // Normal power at 25 Hz; below 10 Hz, 23 to 34 from memory; low power at 12.5 Hz.
        case "adxl345": (60, 34, 40, 0.1)
        // High performance, as the driver samples windows; low power at 12.5 Hz for both others.
        case "lsm6dso": (170, 9, 9, 3)
        case "lsm6ds3trc": (160, 9, 9, 3)
        // Most oversampling in normal mode, also at 12.5 Hz; no oversampling, with the step counter (a vendor's figure).
        case "bma400": (14.5, 14.5, 4, 0.16)
        default: preconditionFailure("\(id) has no currents")
        }
    }

    /// The same while the chip counts steps, if it has a counter. For an LSM6 as for windows all the time: no source
    /// states that its counter works in low power, as the driver runs it. The counter of a BMA400 is in its figure.
    public func current(countingSteps: Bool) -> (measuring: Double, slow: Double, watching: Double, asleep: Double) {
        var current = current
        guard countingSteps, id.hasPrefix("lsm6") else { return current }
        (current.slow, current.watching) = (current.measuring, current.measuring)
        return current
    }

    /// In mAh: the charge that the chip uses in these times.
    public func charge(of use: SensorUse) -> Double {
        let current = current
        let used =
            current.measuring * use.on.inHours + current.slow * use.slow.inHours + current.watching
            * use.watching.inHours
            + current.asleep * use.asleep.inHours
        return used / 1000
    }
}

extension Interval {
    var inHours: Double { Double(nanoseconds) / 3_600_000_000_000 }
}
