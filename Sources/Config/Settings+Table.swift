import Core
import Domains

extension Settings {
    /// Every key of the configuration, in the order of the default file. Reading, checking and documentation are based
    /// on it; the defaults are those of `Settings()`.
    ///
    /// Built at each call: it is needed only briefly at start, so it is not kept.
    ///
    /// - Parameter sensors: The chips that this program can drive. Without any, as in a program without sensors, the
    ///   keys of the accelerometer take any valid value.
    public static func table(sensors: [SensorChoice] = []) -> [SettingSection<Settings>] {
        [account, wearer, server, mqtt, consent, policy, imu(sensors), dutyCycle] + ofDomains + [
            time, delivery, store, run,
        ]
    }

    /// The sections of the domains that declare some.
    private static var ofDomains: [SettingSection<Settings>] {
        Domain.all.flatMap { $0.settings?.sections(at: \Settings.domains) ?? [] }
    }

    private static var account: SettingSection<Settings> {
        SettingSection(
            "account", "The account of the data. While a key is missing, no data is sent; it waits in the store.",
            [
                SettingKey("user-id", optional: .uuid, \.account.userID, "The wearer's account."),
                SettingKey(
                    "token-file", optional: .path, \.account.tokenFile,
                    "The file that holds the access token; mode 0600, read by the uploader alone."),
            ])
    }

    private static var wearer: SettingSection<Settings> {
        SettingSection(
            "wearer", "The wearer of the device.",
            [
                SettingKey(
                    "time-zone", optional: .timeZone, \.wearerTimeZone,
                    "The zone of the wearer's clock: anicca status, days and report show local days beside the UTC days of the "
                        + "records, and alarms go by it.")
            ])
    }

    private static var server: SettingSection<Settings> {
        SettingSection(
            "server", "The destination of daily records and events.",
            [
                SettingKey(
                    "base-url", optional: .baseURL, \.server.baseURL,
                    "The address under which mobile/daily_metrics and nudge/trigger lie."),
                SettingKey(
                    "pinned-key", optional: .pinnedKeys, \.server.pinnedKey,
                    "Accept only a server with one of these public keys."),
                SettingKey(
                    "client-certificate", optional: .path, \.server.clientCertificate,
                    "A PEM certificate that this device shows to the server."),
                SettingKey(
                    "client-key", optional: .path, \.server.clientKey,
                    "The PEM key of that certificate; mode 0600."),
                SettingKey(
                    "send", optional: .choice, \.extra,
                    "Data to send besides figures and events, also to a broker. coverage: with each daily record, the minutes "
                        + "for which each kind of data was observed, and why the others were lost. quarters: also, to a server, the "
                        + "sums of each quarter of an hour and a name of this device, so that the server can combine several "
                        + "devices of one wearer."),
                SettingKey(
                    "contact", optional: .words, \.controller.contact,
                    "The controller of the data at the server, with contact details; for the receipt of consent."),
                SettingKey(
                    "privacy-policy", optional: .baseURL, \.controller.policy,
                    "The address of the privacy policy; for the receipt."),
                SettingKey(
                    "jurisdiction", optional: .words, \.controller.jurisdiction,
                    "The jurisdiction of the server, such as EU; for the receipt."),
            ])
    }

    private static var mqtt: SettingSection<Settings> {
        SettingSection(
            "mqtt", "The broker that daily records and events are published to, instead of a server or beside it.",
            [
                SettingKey(
                    "broker", optional: .broker, \.mqtt.broker,
                    "The address of the broker; without it nothing is published."),
                SettingKey("user", optional: .userName, \.mqtt.user, "The user name at the broker."),
                SettingKey(
                    "password-file", optional: .path, \.mqtt.passwordFile,
                    "The file that holds the password; mode 0600, read by the uploader alone."),
                SettingKey(
                    "ca-file", optional: .path, \.mqtt.caFile,
                    "The PEM certificate of the broker's own authority; without it those of the system count."),
                SettingKey(
                    "pinned-key", optional: .pinnedKeys, \.mqtt.pinnedKey,
                    "Accept only a broker with one of these public keys."),
                SettingKey(
                    "client-certificate", optional: .path, \.mqtt.clientCertificate,
                    "A PEM certificate that this device shows to the broker."),
                SettingKey(
                    "client-key", optional: .path, \.mqtt.clientKey,
                    "The PEM key of that certificate; mode 0600."),
                SettingKey("topic", .topic, \.mqtt.topic, "The beginning of every topic."),
                SettingKey(
                    "device", optional: .topicLevel, \.mqtt.device,
                    "The topic level that names this device; by default a one-way hash of /etc/machine-id."),
                SettingKey(
                    "home-assistant", optional: .topic, \.mqtt.homeAssistant,
                    "The prefix under which Home Assistant looks for devices, as a rule homeassistant; without it none is announced."
                ),
                SettingKey(
                    "nudges", .yesOrNo, \.mqtt.takesNudges,
                    "Wait some seconds after each event for an answer with a nudge, on the topic …/answer."),
            ])
    }

    private static var time: SettingSection<Settings> {
        SettingSection(
            "time", "The trusted sources of the date, and the least wear of a day with data.",
            [
                SettingKey(
                    "trust", .timeTrust, \.time.trustsHardwareClock,
                    "With hardware-clock, a hardware clock that sets the time at boot is trusted as well."),
                SettingKey(
                    "least-wear", .interval(.zero...(.days(1))), \.leastWear,
                    "A day on which the device was worn for less has no data."),
            ])
    }

    private static var delivery: SettingSection<Settings> {
        SettingSection(
            "delivery", "When records are sent, and how failures are retried.",
            [
                SettingKey(
                    "due-after-midnight", .interval(.zero...(.days(1))), \.delivery.dueAfterMidnight,
                    "A day is due this long after 00:00 UTC."),
                SettingKey(
                    "jitter", .interval(.zero...(.hours(12))), \.delivery.jitter,
                    "Each device adds a fixed delay of its own, up to this."),
                SettingKey(
                    "first-retry", .interval(.seconds(1)...(.days(1))), \.delivery.firstRetry,
                    "The longest wait before the first retry; it doubles with each."),
                SettingKey(
                    "longest-retry", .interval(.seconds(1)...(.days(1))), \.delivery.longestRetry,
                    "The longest wait between attempts."),
                SettingKey(
                    "attempts-per-day", .number(1...1000), \.delivery.attemptsPerDay,
                    "The most attempts at one record or event in a day."),
                SettingKey(
                    "keep-undelivered", .interval(.hours(1)...(.days(90))), \.delivery.keepUndelivered,
                    "Records that stay undelivered for this long are dropped, counted and logged."),
                SettingKey(
                    "low-battery", .number(0...100), \.delivery.lowBattery,
                    "With less charge, in percent, daily records wait and events do not; 0 never."),
                SettingKey(
                    "power-supplies", .path, \.powerSupplies, "The directory in which the kernel lists batteries."),
                SettingKey(
                    "deadline", .interval(.seconds(1)...(.hours(1))), \.delivery.deadline,
                    "A run of the uploader stops cleanly after this long. Longer than 90s needs a longer TimeoutStartSec= of its unit."
                ),
            ])
    }

    private static var store: SettingSection<Settings> {
        SettingSection(
            "store", "The encrypted store of collected data.",
            [
                SettingKey("directory", .path, \.store.directory, "The directory of the store."),
                SettingKey(
                    "key-file", .path, \.store.keyFile,
                    "The key file, if systemd passes no key; created at the first start with mode 0600."),
                SettingKey(
                    "history-days", .number(1...3650), \.store.historyDays, "How many days of history are kept."),
                SettingKey(
                    "commit-interval", .interval(.seconds(1)...(.hours(1))), \.store.commitInterval,
                    "The longest that pulses wait in memory; minutes of stillness may wait ten minutes."),
            ])
    }

    private static var run: SettingSection<Settings> {
        SettingSection(
            "run", "Communication between the programs.",
            [
                SettingKey(
                    "bell-directory", .path, \.wakeFileDirectory,
                    "One directory for all programs, with the bells: empty files by which they notify each other."),
                SettingKey(
                    "loan", .interval(.minutes(1)...(.days(1))), \.loan,
                    "The time for which aniccad lends its sensor to a command without --for."),
            ])
    }
}

extension ValueFormat<Bool> {
    /// The trusted time source; true if a hardware clock is trusted too.
    fileprivate static var timeTrust: ValueFormat {
        let words = ["synchronised", "hardware-clock"]
        return ValueFormat(
            allowed: alternatives(words), words: words,
            parse: { text in words.firstIndex(of: text).map { $0 == 1 } },
            format: { words[$0 ? 1 : 0] })
    }
}
