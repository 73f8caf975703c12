import Ports
import Quantities

extension SensingService {
    func openPositions() -> SensingEvent {
        do {
            positions = try devices.openPositions()
            return .positionsOpened
        } catch {
            return .positionsFailed(DeviceFault(error, ofPositionsAt: devices.positionsPlace))
        }
    }

    /// A receiver without a client sleeps.
    func closePositions() {
        guard positions != nil else { return }
        positions = nil
        devices.closePositions()
    }

    func readPositions(at now: Instant) -> SensingEvent {
        guard let positions else { return .fixes([]) }
        do {
            let fixes = try positions.drain(at: now.boot)
            if !fixes.isEmpty { hasNews = true }
            return .fixes(fixes)
        } catch {
            return .positionsFailed(DeviceFault(error, ofPositionsAt: devices.positionsPlace))
        }
    }
}
