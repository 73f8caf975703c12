import Devices
import Domains

/// The gauges.
extension SensingService {
    /// A measurement that is not ready so many times in a row is given up.
    private static let mostUnready = 3

    /// A chip that was found but not set up is kept, so that closing puts it to sleep.
    func openGauge(_ id: GaugeID) -> SensingEvent {
        attempt(.gauge(id)) { () throws(SensorError) in
            let gauge = try devices.openGauge(id)
            gauges.append((id, gauge, 0))
            try gauge.initialise()
            return .opened(.gauge(id))
        }
    }

    func measure(_ id: GaugeID) -> SensingEvent? {
        guard let index = gauges.firstIndex(where: { $0.id == id }) else { return nil }
        do {
            try gauges[index].gauge.measure()
            return nil
        } catch {
            return failed(.gauge(id), error)
        }
    }

    func readGauge(_ id: GaugeID) -> SensingEvent {
        guard let index = gauges.firstIndex(where: { $0.id == id }) else { return .measured(id, nil) }
        return attempt(.gauge(id)) { () throws(SensorError) in
            let reading = try gauges[index].gauge.read()
            gauges[index].unready = reading == nil ? gauges[index].unready + 1 : 0
            hasNews = hasNews || reading != nil
            guard gauges[index].unready < Self.mostUnready else {
                let reason = "the \(GaugeKind.of(id).name) does not end its measurement"
                return .failed(
                    .gauge(id), DeviceFault(.passing, reason: "\(devices.place(of: .gauge(id))): \(reason)"))
            }
            return .measured(id, reading)
        }
    }

    func closeGauge(_ id: GaugeID) {
        if let gauge = gauges.first(where: { $0.id == id })?.gauge {
            turnOff { () throws(SensorError) in try gauge.sleep() }
        }
        gauges.removeAll { $0.id == id }
        devices.closeGauge(id)
    }
}
