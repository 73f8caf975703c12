import Consent
import Quantities

/// Following what may be collected.
extension SensingSession {
    /// Closes what is no longer allowed and drops what is held of it, then opens what is allowed anew.
    ///
    /// What stays allowed and is to be dropped is closed and opened again: samples and edges that wait in the device go
    /// with the rest. A device that was lost is not tried again before its domain was off in between.
    mutating func follow(_ order: CollectionOrder) -> [SensingAction] {
        let mayBeAwake = self.order == nil && wearer.lastWindow != nil && !order.domains.allows(.motion)
        self.order = order
        // Also what is only in the store, in the checkpoint that the next commit replaces.
        if !order.dropped.isEmpty { unsaved = .urgent }
        // A run that was killed left the chip as it was, and what is off must sleep.
        var actions: [SensingAction] = mayBeAwake ? [.openSensor, .closeSensor] : []
        if !order.keeps(.motion) { actions += endMotion() }
        if !order.keeps(.steps) { actions += endSteps() }
        if sensor == .off, allowed.allows(.motion) {
            sensor = .opening
            actions.append(.openSensor)
        }
        if line == .off, allowed.allows(.steps) {
            line = .opening
            actions.append(.openLine)
        }
        return actions
    }

    /// A stored checkpoint without anything of these domains and with all of the others; nil when the bytes cannot be
    /// read. Without motion, steps that wait for the verdict of a window are credited.
    ///
    /// - Parameter rules: Those of the session that wrote it, or it is cut to theirs.
    public static func forgetting(
        _ domains: Toggles, from checkpoint: [UInt8], rules: SensingRules = SensingRules(), at now: Instant
    ) -> [UInt8]? {
        var session = SensingSession(rules: rules)
        do {
            try session.restore(checkpoint, at: now)
        } catch {
            return nil
        }
        if domains.allows(.motion) { session.forgetMotion() }
        if domains.allows(.steps) { session.forgetSteps() }
        return session.checkpoint(at: now)
    }

    private mutating func endMotion() -> [SensingAction] {
        lost.set(.motion, to: false)
        forgetMotion()
        return sensor == .off ? [] : releaseSensor()
    }

    private mutating func endSteps() -> [SensingAction] {
        lost.set(.steps, to: false)
        forgetSteps()
        return line == .off ? [] : releaseLine()
    }

    private mutating func forgetMotion() {
        wearer.forgetMotion(creditingStepsTo: &daybook)
        if daybook.drop(.motion) { unsaved = .urgent }
    }

    private mutating func forgetSteps() {
        wearer.forgetSteps()
        dutyCycle.forgetPulses()
        if daybook.drop(.steps) { unsaved = .urgent }
    }
}

extension CollectionOrder {
    /// Whether what was collected of the domain up to now may be kept.
    func keeps(_ domain: Domain) -> Bool { domains.allows(domain) && !dropped.allows(domain) }
}
