import Domains
import Core
import Signal

/// The checked settings of the configuration files. `Settings()` holds the defaults.
///
/// `Settings.table(sensors:)` has the key of each value, the allowed values and the meaning.
public struct Settings: Equatable, Sendable {
    public var account = Account()
    /// The zone of the wearer's clock, a name of the time-zone database; nil if unknown.
    public var wearerTimeZone: String?
    public var server = Server()
    public var mqtt = MQTT()
    public var controller = Controller()
    /// What is sent besides figures and events.
    public var extra: Extra?
    public var consent = Consent()
    public var imu = IMU()
    public var dutyCycle = DutyCycleRule()
    /// The values of the sections that the domains declare.
    public var domains = DomainValues()
    public var time = TimeRule()
    /// A day on which the device was worn less has no data.
    public var leastWear = DayRule().leastWear
    public var delivery = DeliveryRule()
    /// The directory in which the kernel lists batteries.
    public var powerSupplies = "/sys/class/power_supply"
    public var store = Store()
    /// The directory of the wake files; every program of one device must name the same.
    public var wakeFileDirectory = "/run/anicca"
    /// The time for which a command gets the sensor, unless it asks for another time.
    public var loan = Interval.minutes(15)

    public init() {}
}

extension Settings {
    /// The zone by which alarms go; nil for that of the system.
    public var alarmTimeZone: String? { alarm.timeZone ?? wearerTimeZone }

    /// The rule for making and keeping days.
    public var days: DayRule {
        var rule = DayRule()
        rule.leastWear = leastWear
        rule.keepDays = store.historyDays
        rule.keepUndelivered = delivery.keepUndelivered
        return rule
    }

    /// Data that is sent only on request: `[server] send`.
    public enum Extra: String, CaseIterable, Sendable {
        /// With each daily record, how long each domain was observed.
        case coverage
        /// Also the sums of each quarter of an hour, with a name of this device.
        case quarters
    }

    /// What is sent besides the figures and events of these domains; a broker gets no quarters.
    public func extras(of domains: [Domain]) -> Scope {
        let figures = domains.flatMap(\.figures).filter(\.isSent)
        guard let extra, !figures.isEmpty else { return [] }
        let areQuarters = extra == .quarters && server.baseURL != nil && figures.contains(where: \.hasQuarters)
        return areQuarters ? .extras : .coverage
    }

    /// Whether a receiver is informed of the consent, so that the uploader has to run when it changes.
    public var announcesConsent: Bool { mqtt.broker != nil }

    /// The account that the data belongs to.
    public struct Account: Hashable, Sendable {
        /// A UUID in lower case; nil while not signed in.
        public var userID: String?
        /// The file with the bearer token; nil while not signed in. Only the uploader reads it.
        public var tokenFile: String?

        /// Whether neither is set: then the account of `anicca sign-in` applies.
        public var isUnset: Bool { userID == nil && tokenFile == nil }
    }

    /// The server that records are sent to.
    public struct Server: Hashable, Sendable {
        /// Without a trailing slash; https, or http to a loopback host. Nil: nothing is sent.
        public var baseURL: String?
        /// Public-key pins in libcurl's form, `sha256//` and Base64, separated by semicolons.
        public var pinnedKey: String?
        /// PEM files. Either both are set or neither.
        public var clientCertificate: String?
        public var clientKey: String?
    }

    /// The data controller of the receiver. Used only in the receipt of consent.
    public struct Controller: Equatable, Sendable {
        public var contact: String?
        /// An address.
        public var policy: String?
        public var jurisdiction: String?
    }

    /// The MQTT broker that records are published to.
    public struct MQTT: Hashable, Sendable {
        /// `mqtts://host[:port]`, or `mqtt` to a loopback host. Nil: nothing is published.
        public var broker: String?
        /// The user name; nil if a certificate is used, or no login is needed.
        public var user: String?
        /// The file with the password; never without a user. Only the uploader reads it.
        public var passwordFile: String?
        /// PEM file of the authorities that may sign the broker's certificate; nil for those of the system.
        public var caFile: String?
        /// As in `Server`.
        public var pinnedKey: String?
        public var clientCertificate: String?
        public var clientKey: String?
        /// The beginning of every topic.
        public var topic = "anicca"
        /// The topic level that names this device; nil derives one.
        public var device: String?
        /// The prefix of Home Assistant's discovery; nil: no discovery.
        public var homeAssistant: String?
        /// Whether an event waits for an answer that may hold a nudge.
        public var takesNudges = false
    }

    /// The accelerometer and its wiring.
    public struct IMU: Hashable, Sendable {
        public var bus = "/dev/i2c-1"
        /// The name of the chip; nil takes the first that is found.
        public var sensor: String?
        /// The 7-bit address; nil probes the known ones.
        public var address: UInt8?
        /// Full scale, in g.
        public var range = 8
        /// The GPIO line of the INT pin. Either both are set or neither.
        public var interruptChip: String?
        public var interruptLine: UInt32?
        /// Change of acceleration that wakes the sensor, in thousandths of g.
        public var wakeThreshold = 96
    }

    public struct Store: Equatable, Sendable {
        public var directory = "/var/lib/anicca"
        public var keyFile = "/var/lib/anicca/key"
        /// The lock that a daemon holds while it runs.
        public var daemonLock: String { "\(directory)/aniccad.lock" }
        /// The lock of a command that uses the sensor itself.
        public var sensorLock: String { "\(directory)/sensor.lock" }
        /// The days on which the wearer was reminded of something that was refused.
        public var reminders: String { "\(directory)/reminders" }
        /// The ledger's file.
        public var ledgerPath: String { "\(directory)/ledger.sqlite" }
        public var historyDays = 90
        /// The longest time that pulses wait in memory; minutes of stillness may wait ten minutes.
        public var commitInterval = Interval.seconds(60)
    }
}
