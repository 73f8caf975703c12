import Quantities

/// Something that two keys must satisfy together.
struct SettingAgreement {
    /// Both as `section.key`.
    let first: String
    let second: String
    /// The end of the sentence "`first` must …".
    let demand: String
    let holds: (Settings) -> Bool

    init(_ first: String, _ demand: String, _ second: String, holds: @escaping (Settings) -> Bool) {
        self.first = first
        self.second = second
        self.demand = demand
        self.holds = holds
    }
}

extension Settings {
    static var agreements: [SettingAgreement] {
        [
            SettingAgreement("server.client-certificate", "be set together with", "server.client-key") {
                ($0.server.clientCertificate == nil) == ($0.server.clientKey == nil)
            },
            SettingAgreement("imu.interrupt-chip", "be set together with", "imu.interrupt-line") {
                ($0.imu.interruptChip == nil) == ($0.imu.interruptLine == nil)
            },
            SettingAgreement("steps.slowest-per-minute", "be less than", "steps.fastest-per-minute") {
                $0.rhythm.slowestPerMinute < $0.rhythm.fastestPerMinute
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
