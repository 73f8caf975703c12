import DutyCycle
import Quantities
import Schedule
import Signal

/// The settings of the configuration files, checked. `Settings()` holds the defaults.
///
/// `Settings.table` has the key of each value, the allowed values and the meaning.
public struct Settings: Equatable, Sendable {
    public var account = Account()
    public var server = Server()
    public var consent = Consent()
    public var imu = IMU()
    public var pulseLine = PulseLine()
    public var rhythm = RhythmRule()
    public var companion = Companion()
    public var location = Location()
    public var alarm = Alarm()
    public var dutyCycle = DutyCycleRule()
    public var sedentary = SedentaryRule()
    public var delivery = DeliveryRule()
    public var store = Store()
    /// The directory of the wake files; every program of one device must name the same.
    public var wakeFileDirectory = "/run/anicca"

    public init() {}
}

extension Settings {
    /// The account that the data belongs to.
    public struct Account: Hashable, Sendable {
        /// A UUID in lower case; nil while not signed in.
        public var userID: String?
        /// The file with the bearer token; nil while not signed in. Only the uploader reads it.
        public var tokenFile: String?
    }

    /// The server that records are sent to.
    public struct Server: Hashable, Sendable {
        /// Without a slash at its end; https, or http to a loopback host. Nil: nothing is sent.
        public var baseURL: String?
        /// Public-key pins in libcurl's form, `sha256//` and Base64, separated by semicolons.
        public var pinnedKey: String?
        /// PEM files. Either both are set or neither.
        public var clientCertificate: String?
        public var clientKey: String?
    }

    /// The accelerometer and its wiring.
    public struct IMU: Hashable, Sendable {
        public var bus = "/dev/i2c-1"
        /// The 7-bit address; nil probes the known ones.
        public var address: UInt8?
        /// Full scale, in g.
        public var range = 8
        /// The GPIO line that the INT pin is wired to. Either both are set or neither.
        public var interruptChip: String?
        public var interruptLine: UInt32?
        /// Change of acceleration that wakes the sensor, in thousandths of g.
        public var wakeThreshold = 96
    }

    /// The line on which a step sensor pulses. Without one, steps are counted from the accelerometer.
    public struct PulseLine: Hashable, Sendable {
        public var chip = "/dev/gpiochip0"
        /// Offset on the chip; nil where no step sensor is wired.
        public var line: UInt32?
        public var edge = Edge.rising
        public var bias = Bias.asIs

        public var isWired: Bool { line != nil }
    }

    /// The change of level that is a pulse.
    public enum Edge: String, CaseIterable, Hashable, Sendable {
        case rising, falling
    }

    /// The resistor inside the GPIO controller.
    public enum Bias: String, CaseIterable, Hashable, Sendable {
        /// As set by the firmware.
        case asIs = "as-is"
        case disabled
        case pullUp = "pull-up"
        case pullDown = "pull-down"
    }

    /// The reports of screen time from the paired phone.
    public struct Companion: Hashable, Sendable {
        /// The directory into which they are put.
        public var inbox = "/var/lib/anicca/inbox"
    }

    /// The source of positions.
    public struct Location: Hashable, Sendable {
        /// The TCP port of gpsd on this machine.
        public var gpsdPort: UInt16 = 2947
    }

    /// The line of the vibration motor or buzzer.
    public struct Alarm: Hashable, Sendable {
        public var chip = "/dev/gpiochip0"
        /// Offset on the chip; nil where no alarm is wired.
        public var line: UInt32?
    }

    /// The store of collected data.
    public struct Store: Equatable, Sendable {
        public var directory = "/var/lib/anicca"
        public var keyFile = "/var/lib/anicca/key"
        /// The ledger's file.
        public var ledgerPath: String { "\(directory)/ledger.sqlite" }
        public var historyDays = 90
        /// The longest that pulses wait in memory; minutes of stillness may wait ten minutes.
        public var commitInterval = Interval.seconds(60)
    }
}
