import Chips
import Config
import Consent
import LinuxBus
import Ports

/// Motion, sleep, and steps where no step sensor is wired: an IMU on an I²C bus.
final class IMUHandler: HardwareHints {
    let domain: Domain
    let device = "accelerometer"
    private let imu: Settings.IMU

    init(_ domain: Domain, _ imu: Settings.IMU) {
        self.domain = domain
        self.imu = imu
    }

    var nodes: [String] { [imu.bus] }

    var currentStatus: DeviceStatus {
        do {
            try DeviceNodes.look(at: imu.bus)
            return .ready
        } catch {
            return status(of: error)
        }
    }

    func requestAccess() -> DeviceStatus {
        do {
            return status(on: try LinuxI2CBus(path: imu.bus))
        } catch {
            return status(of: error)
        }
    }

    /// Reads identity registers, as opening the sensor does first.
    func status(on bus: any I2CBus) -> DeviceStatus {
        do throws(SensorError) {
            if let address = fixedAddress {
                try MPU6050(bus: bus, address: address).identify()
            } else {
                _ = try MPU6050.probe(bus)
            }
            return .ready
        } catch {
            switch error {
            case .bus(.noAcknowledge, _):
                return .blocked(.absent, reason: "\(imu.bus): nobody acknowledges at \(addresses)")
            case .bus(let error, _): return status(of: error)
            case .wrongIdentity: return .blocked(.absent, reason: "\(imu.bus): \(error)")
            default: return .failing(reason: "\(imu.bus): \(error)")
            }
        }
    }

    var hintWhenAbsent: String { howToFind + whyForSteps }

    var hintWhenRefused: String {
        "run: usermod -aG i2c anicca, then: systemctl restart aniccad; where the node has another group, "
            + #"add the udev rule SUBSYSTEM=="i2c-dev", GROUP="i2c", MODE="0660""# + whyForSteps
    }

    private var howToFind: String {
        do {
            _ = try LinuxI2CBus(path: imu.bus)
            return "check supply, SDA, SCL and AD0 of the MPU-6050; i2cdetect -y NUMBER shows who answers on the bus"
        } catch .absent {
            return "turn I2C on (raspi-config, Interface Options), or correct bus in [imu]; i2cdetect -l lists buses"
        } catch {
            return "correct bus in [imu]; i2cdetect -l lists the buses"
        }
    }

    /// Of the other domains it is plain that they need an IMU.
    private var whyForSteps: String {
        domain == .steps ? "; steps are counted from the IMU, for [steps] line is not set" : ""
    }

    private var fixedAddress: I2CAddress? { imu.address.flatMap { I2CAddress($0) } }

    private var addresses: String {
        fixedAddress.map(text) ?? "\(text(MPU6050.addresses[0])) or \(text(MPU6050.addresses[1]))"
    }

    private func text(_ address: I2CAddress) -> String { "0x" + String(address.rawValue, radix: 16) }

    private func status(of error: BusError) -> DeviceStatus {
        DeviceStatus(error, at: imu.bus, unsuitable: "not an I2C bus that can be used")
    }
}
