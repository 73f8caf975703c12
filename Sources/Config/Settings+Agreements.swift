import Core

extension Settings {
    /// Conditions between keys. Those within a domain's section come last.
    static func agreements(
        sensors: [SensorChoice], in table: [SettingSection<Settings>]? = nil
    ) -> [SettingAgreement<Settings>] {
        between(sensors) + (table ?? Self.table(sensors: sensors)).flatMap(\.agreements)
    }

    private static func between(_ sensors: [SensorChoice]) -> [SettingAgreement<Settings>] {
        [
            SettingAgreement("server.client-certificate", "be set together with", "server.client-key") {
                ($0.server.clientCertificate == nil) == ($0.server.clientKey == nil)
            },
            SettingAgreement("mqtt.client-certificate", "be set together with", "mqtt.client-key") {
                ($0.mqtt.clientCertificate == nil) == ($0.mqtt.clientKey == nil)
            },
            SettingAgreement("mqtt.password-file", "be set together with", "mqtt.user") {
                $0.mqtt.passwordFile == nil || $0.mqtt.user != nil
            },
            SettingAgreement("imu.address", "be auto or an address of", "imu.sensor") { settings in
                guard let address = settings.imu.address,
                    let chip = sensors.first(where: { $0.name == settings.imu.sensor })
                else { return true }
                return chip.addresses.contains(address)
            },
            SettingAgreement("imu.interrupt-chip", "be set together with", "imu.interrupt-line") {
                ($0.imu.interruptChip == nil) == ($0.imu.interruptLine == nil)
            },
            SettingAgreement("steps.line", "be another line than", "imu.interrupt-line") {
                isFree($0.pulseLine.chip, $0.pulseLine.line, besides: $0.imu.interruptChip, $0.imu.interruptLine)
            },
            SettingAgreement("alarm.line", "be another line than", "imu.interrupt-line") {
                isFree($0.alarm.chip, $0.alarm.line, besides: $0.imu.interruptChip, $0.imu.interruptLine)
            },
            SettingAgreement("alarm.line", "be another line than", "steps.line") {
                isFree($0.alarm.chip, $0.alarm.line, besides: $0.pulseLine.chip, $0.pulseLine.line)
            },
            SettingAgreement("alarm.snooze-line", "be another line than", "imu.interrupt-line") {
                isFree($0.alarm.chip, $0.alarm.snoozeLine, besides: $0.imu.interruptChip, $0.imu.interruptLine)
            },
            SettingAgreement("alarm.snooze-line", "be another line than", "steps.line") {
                isFree($0.alarm.chip, $0.alarm.snoozeLine, besides: $0.pulseLine.chip, $0.pulseLine.line)
            },
            SettingAgreement("duty-cycle.attentive-interval", "not be longer than", "duty-cycle.relaxed-interval") {
                $0.dutyCycle.attentiveInterval <= $0.dutyCycle.relaxedInterval
            },
            SettingAgreement("duty-cycle.relaxed-interval", "be at least 30s shorter than", "sedentary.longest-gap") {
                $0.dutyCycle.relaxedInterval + Interval.seconds(30) <= $0.sedentary.longestGap
            },
            SettingAgreement("delivery.first-retry", "not be longer than", "delivery.longest-retry") {
                $0.delivery.firstRetry <= $0.delivery.longestRetry
            },
        ]
    }
}

/// Whether a line is unwired or differs from the given one: a line can have only one use.
private func isFree(_ chip: String, _ line: UInt32?, besides otherChip: String?, _ otherLine: UInt32?) -> Bool {
    line == nil || line != otherLine || chip != otherChip
}
