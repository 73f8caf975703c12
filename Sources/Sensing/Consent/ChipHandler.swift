import Devices
import Config
import Domains

/// A chip on the I²C bus of the config: an IMU, also for steps without a step sensor, a gauge or a pulse oximeter.
final class ChipHandler: HardwareHints {
    let domain: Domain
    private let imu: Settings.IMU
    let device: String
    private let find: (any I2CBus) throws(SensorError) -> Void

    init<Kind>(_ domain: Domain, _ imu: Settings.IMU, _ search: ChipSearch<Kind>) {
        self.domain = domain
        self.imu = imu
        device = search.device
        find = { bus throws(SensorError) in _ = try search.find(on: bus) }
    }

    /// The handler of an IMU.
    convenience init(_ domain: Domain, _ imu: Settings.IMU) { self.init(domain, imu, ChipSearch<Chip>(imu)) }

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
            return status(on: try openI2CBus(imu.bus))
        } catch {
            return status(of: error)
        }
    }

    /// Reads the identity registers, which is the first step of opening the sensor.
    func status(on bus: any I2CBus) -> DeviceStatus {
        do throws(SensorError) {
            try find(bus)
            return .ready
        } catch {
            switch error {
            case .unreachable(.noAcknowledge, let tried, _):
                return .blocked(
                    .absent, reason: "\(imu.bus): no device acknowledged the address (NACK; tried \(tried))")
            case .bus(let error, _), .unreachable(let error, _, _): return status(of: error)
            default: return DeviceStatus(error.fault(at: imu.bus))
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
            _ = try openI2CBus(imu.bus)
            return "check supply, SDA, SCL and AD0 (SA0) of the \(device); "
                + "i2cdetect -y NUMBER lists the devices on the bus"
        } catch .absent {
            return "turn I2C on (raspi-config, Interface Options), or correct bus in [imu]; i2cdetect -l lists buses"
        } catch {
            return "correct bus in [imu]; i2cdetect -l lists the buses"
        }
    }

    /// An addition to the hints for steps; the other domains always need an IMU.
    private var whyForSteps: String {
        domain.hardware == .stepSensor ? "; steps are counted from the IMU, because [steps] line is not set" : ""
    }

    private func status(of error: BusError) -> DeviceStatus {
        DeviceStatus(error, at: imu.bus, unsuitable: "not an I2C bus that can be used")
    }
}

extension ChipSearch where Kind == Chip {
    /// The search for the configured accelerometer, shared by the daemon, the permissions and `anicca doctor`.
    public init(_ imu: Settings.IMU) {
        self.init(
            for: Chip.all.filter { imu.sensor == nil || $0.id == imu.sensor },
            at: imu.address.flatMap { I2CAddress($0) })
    }
}

extension AccelerometerSetup {
    /// The configured setup.
    public init(_ imu: Settings.IMU) { self.init(range: imu.range, wakeThreshold: imu.wakeThreshold) }
}

extension [SensorChoice] {
    /// The chips with a driver.
    public static var known: [SensorChoice] {
        Chip.all.map {
            SensorChoice(name: $0.id, aliases: $0.aliases, addresses: $0.addresses.map(\.rawValue))
        }
    }
}
