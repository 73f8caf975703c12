import Devices
import Domains

/// The pulse oximeter.
extension SensingService {
    /// A chip that was found but not set up is kept, so that closing shuts it down.
    func openOximeter() -> SensingEvent {
        attempt(.oximeter) { () throws(SensorError) in
            let found = try devices.openOximeter()
            oximeter = found
            try found.initialise()
            return .opened(.oximeter)
        }
    }

    /// Turns the LEDs on or off. After a failure the source is closed, which tries again to turn them off.
    func light(_ isOn: Bool) -> SensingEvent? {
        // A killed process leaves them on, and its successor must know.
        hasNews = true
        do throws(SensorError) {
            if isOn { try oximeter?.begin() } else { try oximeter?.shutDown() }
            return nil
        } catch {
            return failed(.oximeter, error)
        }
    }

    /// Lost samples are a gap, and no fault of the chip.
    func readLight() -> SensingEvent {
        attempt(.oximeter) { () throws(SensorError) in
            do throws(SensorError) {
                return .lit(try oximeter?.drain() ?? PulseDrain(continues: false, light: .searching))
            } catch {
                guard case .overrun = error else { throw error }
                return .lit(PulseDrain(continues: false, light: .searching))
            }
        }
    }

    func closeOximeter() {
        if let oximeter { turnOff { () throws(SensorError) in try oximeter.shutDown() } }
        oximeter = nil
        devices.closeOximeter()
    }
}
