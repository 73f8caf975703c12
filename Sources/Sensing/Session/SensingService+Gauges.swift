import Devices
import Domains

/// The gauges.
extension SensingService {
    /// A measurement that is not ready so many times in a row is given up.
    private static let mostUnready = 3

    /// A chip that was found but not set up is kept, so that closing puts it to sleep.
    func openGauge(_ id: GaugeID) -> SensingEvent {
        using(id) { () throws(SensorError) in
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
            return failed(id, error)
        }
    }

    func readGauge(_ id: GaugeID) -> SensingEvent {
        guard let index = gauges.firstIndex(where: { $0.id == id }) else { return .measured(id, nil) }
        return using(id) { () throws(SensorError) in
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

    /// An unreachable chip ends its measurement by itself, so a failure to put it to sleep is not reported.
    func closeGauge(_ id: GaugeID) {
        if let gauge = gauges.first(where: { $0.id == id })?.gauge {
            for _ in 0..<2 {
                do throws(SensorError) {
                    try gauge.sleep()
                    break
                } catch {
                    continue
                }
            }
        }
        gauges.removeAll { $0.id == id }
        devices.closeGauge(id)
    }

    private func using(_ id: GaugeID, _ work: () throws(SensorError) -> SensingEvent) -> SensingEvent {
        do throws(SensorError) {
            return try work()
        } catch {
            return failed(id, error)
        }
    }

    /// Another chip is not written to any more, and without its bus none can be.
    private func failed(_ id: GaugeID, _ error: SensorError) -> SensingEvent {
        let fault = error.fault(at: devices.place(of: .gauge(id)))
        if case .lasting = fault.outlook { gauges.removeAll { $0.id == id } }
        return .failed(.gauge(id), fault)
    }
}
