import Domains
import Devices
import Core

/// A source that sensing reads.
public enum SourceKind: Hashable, Sendable {
    case imu
    case pulses
    /// The folder for the phone's reports.
    case reports
    /// gpsd. The receiver sleeps without a client, so the connection is held only while a collector wants fixes.
    case positions
    /// The pulse oximeter, on the IMU's bus.
    case oximeter
    /// A chip on the IMU's bus, measured with each window.
    case gauge(GaugeID)
}

/// A source of the session: the domains that it serves, and its life.
struct SessionSource: Sendable {
    let kind: SourceKind
    let domains: DomainSet
    var life: SourceLife
}

extension SensingSession {
    /// The sources, in the order in which they are opened.
    static func sources(
        of collectors: [CollectedDomain], stepSource: Source, _ life: SourceLife
    ) -> [SessionSource] {
        let stepDomains = collectors.domains(on: .stepSensor)
        let byLine = stepSource == .imu ? [] : stepDomains
        var sources = [
            SessionSource(
                kind: .imu, domains: collectors.domains(on: .accelerometer).union(stepDomains.subtracting(byLine)),
                life: life),
            SessionSource(kind: .pulses, domains: byLine, life: life),
            SessionSource(kind: .reports, domains: collectors.domains(on: .companionInbox), life: life),
            SessionSource(kind: .positions, domains: collectors.domains(on: .gpsd), life: life),
            SessionSource(kind: .oximeter, domains: collectors.domains(on: .pulseOximeter), life: life),
        ]
        for member in collectors {
            guard case .gauge(let id) = member.domain.hardware, !sources.contains(where: { $0.kind == .gauge(id) })
            else { continue }
            sources.append(
                SessionSource(kind: .gauge(id), domains: collectors.domains(on: .gauge(id)), life: life))
        }
        return sources
    }

    /// A session has only the gauges of its domains.
    private func index(of kind: SourceKind) -> Int {
        switch kind {
        case .imu: 0
        case .pulses: 1
        case .reports: 2
        case .positions: 3
        case .oximeter: 4
        case .gauge: sources.firstIndex { $0.kind == kind } ?? sources.count
        }
    }

    func source(_ kind: SourceKind) -> SessionSource { sources[index(of: kind)] }
    func isOpen(_ kind: SourceKind) -> Bool { sources[index(of: kind)].life.phase == .open }
    /// The collected domains that the source serves.
    func served(by kind: SourceKind) -> DomainSet { sources[index(of: kind)].domains.intersection(allowed) }

    /// Opens sources that are wanted or due for a retry, and closes those that no collector wants.
    mutating func followSources(at now: Instant) -> [SensingAction] {
        var actions: [SensingAction] = []
        let allowed = allowed
        for index in sources.indices {
            let kind = sources[index].kind
            let isServing = !sources[index].domains.isDisjoint(with: allowed)
            let isWanted = isServing && (kind != .positions || signals.contains(.position))
            // Cheap check of the most frequent case: nothing to do.
            switch (isWanted, sources[index].life.phase) {
            case (true, .opening), (true, .open), (true, .lost), (false, .off): continue
            default: actions += take(.wanted(isWanted), of: kind, at: now)
            }
        }
        return actions
    }

    /// Passes the event to the life of the source, and carries out the resulting steps.
    mutating func take(_ event: SourceLife.Event, of kind: SourceKind, at now: Instant) -> [SensingAction] {
        var actions: [SensingAction] = []
        let before = source(kind).life.phase
        for step in sources[index(of: kind)].life.handle(event, at: now.boot) {
            switch step {
            case .open: actions.append(.open(kind))
            case .close: actions += closed(kind, at: now) + [.close(kind)]
            case .failed(let reason, let wait): actions.append(.note(.failed(kind, reason: reason, retryIn: wait)))
            case .gaveUp(let reason, let wait) where kind == .imu:
                actions.append(.note(.sensorQuiet(reason: reason, retryIn: wait)))
            case .gaveUp: break
            case .recovered: actions.append(.note(.recovered(kind)))
            case .lost(let obstacle, let reason): actions += lose(served(by: kind), to: obstacle, reason)
            }
        }
        let phase = source(kind).life.phase
        if kind == .imu, phase != before, phase == .off || phase == .lost { forgetSensor() }
        return actions
    }

    /// Ends the current work with the source.
    private mutating func closed(_ kind: SourceKind, at now: Instant) -> [SensingAction] {
        switch kind {
        case .imu:
            sensor = .closed
            // The next window does not follow the latest.
            return tell(.interrupted, windowDomains, at: now)
        case .pulses: drain = nil
        case .reports: break
        case .positions: receiverTime = ReceiverTime()
        case .oximeter:
            if lightDue != nil { mayBeLit = true }
            lightDue = nil
            return tell(.interrupted, served(by: kind), at: now)
        case .gauge(let id):
            gauges.removeAll { $0.id == id }
            return tell(.interrupted, served(by: kind), at: now)
        }
        return []
    }

    /// `ready` makes the first actions with the opened source.
    mutating func opened(
        _ kind: SourceKind, at now: Instant, _ ready: (inout SensingSession) -> [SensingAction] = { _ in [] }
    ) -> [SensingAction] {
        if kind == .oximeter { mayBeLit = false }
        guard source(kind).life.phase == .opening else { return [] }
        _ = take(.opened, of: kind, at: now)
        // The folder is read once the owner had time to watch it, so that no file is missed.
        if kind == .reports { inbox = InboxReading(nextAt: now.boot, notBefore: now.boot) }
        if case .gauge(let id) = kind { gauges.append(OpenGauge(id: id, dueAt: now.boot)) }
        let first = ready(&self) + measure(at: now)
        return tell(.opened, served(by: kind), at: now) + first
    }

    /// Whether the source is open or about to be.
    func isOpening(_ kind: SourceKind) -> Bool { [.opening, .open].contains(source(kind).life.phase) }

    /// The source is closed until it is retried, or until its domain is ordered anew.
    mutating func failed(_ kind: SourceKind, _ fault: DeviceFault, at now: Instant) -> [SensingAction] {
        guard isOpening(kind) else { return [] }
        // The failed transfer may have been the one that turns the LEDs off.
        if kind == .oximeter, source(kind).life.phase == .open { mayBeLit = true }
        let told = kind == .positions ? tell(.interrupted, served(by: kind), at: now) : []
        return told + take(.failed(fault), of: kind, at: now)
    }

    /// Handles a source that woke the process.
    mutating func waiting(_ kind: SourceKind, at now: Instant) -> [SensingAction] {
        switch kind {
        case .imu: moved(at: now)
        case .pulses: pulsesWaiting(at: now)
        case .reports: reportsWaiting(at: now)
        case .positions: isOpen(kind) ? [.readPositions] : []
        case .oximeter, .gauge: []
        }
    }

    /// Reports these domains as lost.
    private mutating func lose(_ domains: DomainSet, to obstacle: Obstacle, _ reason: String) -> [SensingAction] {
        lost.formUnion(domains)
        return collectors.map(\.domain).filter(domains.allows).map {
            .lose(DeviceLoss(domain: $0, obstacle: obstacle, reason: reason))
        }
    }
}
