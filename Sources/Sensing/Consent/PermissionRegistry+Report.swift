import Domains
import Store
import Core

extension PermissionRegistry {
    /// Checks all hardware and reports the state of every domain, in the order of `Domain.all`. Writes nothing, and
    /// leaves `consent` as last read.
    public func report(at time: WallTime) throws(LedgerError) -> [PermissionReport] {
        let stored = try ledger.consent()
        var state = stored.state
        _ = state.handle(.granted(policy.granted))
        _ = state.handle(.forbidden(policy.forbidden))
        var reports: [PermissionReport] = []
        for domain in domains {
            let device = look(at: domain, in: state)
            for event in found(device, domain) { _ = state.handle(event) }
            reports.append(report(of: domain, stored, as: state, device, at: time))
        }
        return reports
    }

    /// The reason why a domain is suspended, by a check of its hardware, and the advice. Writes nothing.
    public func whySuspended(_ domain: Domain) throws(LedgerError) -> (reason: String, advice: String) {
        let state = try ledger.consent().state
        let why = explanation(of: domain, in: state, look(at: domain, in: state))
        return (why.reason ?? PermissionStatus.unsupported.description, why.advice)
    }

    private func report(
        of domain: Domain, _ stored: ConsentSnapshot, as state: ConsentState, _ device: DeviceStatus?, at time: WallTime
    ) -> PermissionReport {
        let status = state.status(of: domain)
        let isStored = status == stored.state.status(of: domain)
        let why = explanation(of: domain, in: state, device)
        let isOfTheVersion = status == .unsupported && !domain.isCollected
        let isFine =
            status == .authorized && device == .ready && stored.state.toggles.allows(domain)
            && state.awaited(by: domain).isEmpty
        return PermissionReport(
            domain: domain, device: handler(for: domain).device, isOn: stored.state.toggles.allows(domain),
            toggledAt: stored.toggledAt(domain), status: status,
            since: isOfTheVersion ? nil : isStored ? stored.statusChangedAt(domain) : time, reason: why.reason,
            advice: isFine ? nil : why.advice)
    }

    /// Checks the hardware; nil for a domain that the config forbids or this version does not collect, whose hardware
    /// is not touched.
    func look(at domain: Domain, in state: ConsentState) -> DeviceStatus? {
        guard domain.isCollected, state.obstacle(to: domain) != .forbidden else { return nil }
        return handler(for: domain).requestAccess()
    }

    /// The reason for the domain's status, and the advice.
    func explanation(
        of domain: Domain, in state: ConsentState, _ device: DeviceStatus?
    ) -> (reason: String?, advice: String) {
        var status = state.status(of: domain)
        var hardware: String?
        var reason: String?
        let awaited = state.awaited(by: domain)
        switch (state.obstacle(to: domain), state.answer(to: domain.permission)) {
        case (.forbidden, _): reason = "[policy] \(domain) = forbidden in the config"
        case _ where !domain.isCollected: reason = PermissionReport.notCollected
        case (let obstacle?, _):
            hardware = device?.reason ?? obstacle.description
            reason = hardware
        case (nil, .declined): reason = "declined by the \(state.answeredBy(domain.permission))"
        case (nil, .agreed(let scope, _)) where status != .authorized:
            reason = "agreed to no more than \(scope)"
            // The agreement can be expanded by the missing parts.
            if status == .denied { status = .limited }
        case _ where !awaited.isEmpty:
            let commands = awaited.map { handler(for: $0).settingsHint(for: state.status(of: $0), reason: nil) }
            return (PermissionReport.waiting(for: awaited), commands.joined(separator: "; "))
        default: reason = device?.reason
        }
        return (reason, handler(for: domain).settingsHint(for: status, reason: hardware))
    }

    /// The events for the result of a check; none without a check, and for a failing device.
    func found(_ device: DeviceStatus?, _ domain: Domain) -> [ConsentEvent] {
        switch device {
        case nil, .failing: []
        case .ready: [.found(domain, nil)]
        case .blocked(let obstacle, _): [.found(domain, obstacle)]
        }
    }

    func losses(_ device: DeviceStatus?, _ domain: Domain) -> [DeviceLoss] {
        guard case .blocked(let obstacle, let reason) = device else { return [] }
        return [DeviceLoss(domain: domain, obstacle: obstacle, reason: reason)]
    }
}

/// The state of one domain, for a report.
public struct PermissionReport: Equatable, Sendable {
    /// The reason why a domain is `unsupported` with any hardware.
    public static let notCollected = "this version does not collect it yet"

    /// The reason why a domain that is on is not collected.
    static func waiting(for domains: [Domain]) -> String {
        "waits for \(domains.map(\.description).joined(separator: " and ")), which it needs"
    }

    public let domain: Domain
    /// The device, in a word or two for people: `step sensor`.
    public let device: String
    /// Whether its toggle is on.
    public let isOn: Bool
    /// The time at which the toggle was last turned, by any actor; nil if never.
    public let toggledAt: WallTime?
    /// The status if it were turned on now, with the present hardware.
    public let status: PermissionStatus
    /// The time since which the status holds: by the trail, or the time of the report if the trail has another status.
    /// Nil if it never changed, or follows from the version.
    public let since: WallTime?
    /// The reason for the status; nil if there is nothing to explain.
    public let reason: String?
    /// The advice; nil if nothing needs to be done.
    public let advice: String?
}
