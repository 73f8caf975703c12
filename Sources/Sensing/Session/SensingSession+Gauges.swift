import Domains
import Core

/// The measurements of gauges.
///
/// A gauge adds no wake-up to the windows: it measures while the FIFO fills, and is read with the window. While no
/// windows are taken, it has one wake-up a minute, which reads the measurement of the minute before and starts the next.
extension SensingSession {
    /// Starts a measurement of each idle gauge, unless one starts with the next window.
    mutating func measure(at now: Instant) -> [SensingAction] {
        switch sensor {
        case .closed, .filling: break
        case .resting, .slow: return []
        }
        var actions: [SensingAction] = []
        for index in gauges.indices where gauges[index].startedAt == nil {
            gauges[index].startedAt = now.boot
            gauges[index].dueAt = now.boot + rules.dutyCycle.attentiveInterval
            actions.append(.measure(gauges[index].id))
        }
        return actions
    }

    /// Reads the measurements, at the end of a window.
    var readGauges: [SensingAction] { gauges.filter { $0.startedAt != nil }.map { .readGauge($0.id) } }

    /// Reads the measurements that are due while no windows are taken.
    mutating func gaugesDue(at now: Instant) -> [SensingAction] {
        guard let due = gaugeWake, due <= now.boot else { return [] }
        var actions: [SensingAction] = []
        for index in gauges.indices where gauges[index].dueAt <= now.boot {
            gauges[index].dueAt = now.boot + rules.dutyCycle.attentiveInterval
            if gauges[index].startedAt != nil { actions.append(.readGauge(gauges[index].id)) }
        }
        return actions + measure(at: now)
    }

    /// A measurement that is not ready stays for the next reading.
    mutating func take(_ reading: GaugeReading?, of id: GaugeID, at now: Instant) -> [SensingAction] {
        guard let reading, let index = gauges.firstIndex(where: { $0.id == id }),
            let startedAt = gauges[index].startedAt
        else { return [] }
        gauges[index].startedAt = nil
        let last = gauges[index].lastAt.flatMap { now.boot - $0 <= rules.longestGap ? $0 : nil }
        observe(served(by: .gauge(id)), since: last ?? startedAt, at: now)
        gauges[index].lastAt = now.boot
        let recovered = take(.worked, of: .gauge(id), at: now)
        unsaved = max(unsaved, .stillness)
        return recovered + tell(.gauge(reading, at: startedAt), served(by: .gauge(id)), at: now) + measure(at: now)
    }

    /// The time to read gauges without a window.
    var gaugeWake: BootTime? { sensor.isSampling ? nil : gauges.map(\.dueAt).min() }
}

/// An open gauge of the session.
struct OpenGauge: Equatable, Sendable {
    let id: GaugeID
    /// The start of the measurement that was not read yet; nil if there is none.
    var startedAt: BootTime?
    /// The time to read it while no windows are taken.
    var dueAt: BootTime
    /// The time of the last reading; nil before the first.
    var lastAt: BootTime?
}
