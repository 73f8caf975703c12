import Devices
import Core

/// Asks gpsd for fixes while that is permitted. A request starts the receiver, so there is none before.
final class LiveReceiver {
    private let address: GPSDAddress
    private var connection: GPSDConnection?
    private var triesAgainAt: BootTime?
    private var view = LiveView.Receiver.searching

    init(_ address: GPSDAddress) { self.address = address }

    /// The present reading; nil without permission, and then gpsd is released.
    func look(at now: BootTime, isPermitted: Bool) -> LiveView.Receiver? {
        guard isPermitted else {
            connection = nil
            view = .searching
            return nil
        }
        if let triesAgainAt, now < triesAgainAt { return view }
        do {
            let connection = try connection ?? GPSDConnection(address)
            self.connection = connection
            if let fix = try connection.drain(at: now).last { view = .fix(metres: fix.error, speed: fix.speed) }
            triesAgainAt = nil
            if case .away = view { view = .searching }
        } catch {
            connection = nil
            view = .away("gpsd at \(address) does not answer; see: anicca doctor")
            triesAgainAt = now + .seconds(5)
        }
        return view
    }
}
