import Devices
import Core

extension SensingService {
    func drainPulses(at now: Instant) -> SensingEvent {
        attempt(.pulses) { () throws(BusError) in
            let batch = try pulseLine?.drain(at: now.boot) ?? PulseBatch()
            if !batch.pulses.isEmpty { hasNews = true }
            return .pulses(batch)
        }
    }

    func readReports(at now: Instant) -> SensingEvent {
        attempt(.reports) { () throws(InboxError) in
            guard let inbox, let clock = session.clock else { return .reports(ReportBatch()) }
            let batch = try inbox.read(SensingSession.mostReports, at: clock.time(at: now.boot).wall)
            if !batch.reports.isEmpty { hasNews = true }
            return .reports(batch)
        }
    }

    func readPositions(at now: Instant) -> SensingEvent {
        attempt(.positions) { () throws(PositionError) in
            let fixes = try positions?.drain(at: now.boot) ?? []
            if !fixes.isEmpty { hasNews = true }
            return .fixes(fixes)
        }
    }

    /// Called once the read reports are stored. A file that stays is read again by the next process, and counts once.
    func removeReadReports() -> SensingEvent? {
        do {
            try inbox?.removeRead()
            return nil
        } catch {
            return .failed(.reports, error.fault(at: devices.place(of: .reports)))
        }
    }

    func attempt<Failure: SourceError>(
        _ kind: SourceKind, _ work: () throws(Failure) -> SensingEvent
    ) -> SensingEvent {
        do throws(Failure) {
            return try work()
        } catch {
            return failed(kind, error)
        }
    }

    /// Another chip is not written to any more, and without its bus none can be.
    func failed(_ kind: SourceKind, _ error: some SourceError) -> SensingEvent {
        let fault = error.fault(at: devices.place(of: kind))
        if case .lasting = fault.outlook {
            switch kind {
            case .gauge(let id): gauges.removeAll { $0.id == id }
            case .oximeter: oximeter = nil
            case .imu, .pulses, .reports, .positions: break
            }
        }
        return .failed(kind, fault)
    }

    /// One disturbed transfer must not leave a chip on, so it is tried twice.
    func twice(_ attempt: () throws(SensorError) -> Void) throws(SensorError) {
        do throws(SensorError) {
            try attempt()
        } catch {
            try attempt()
        }
    }

    /// Turns a chip off that is closed. An unreachable one is not reported: its source says so when it is opened again.
    func turnOff(_ attempt: () throws(SensorError) -> Void) {
        do throws(SensorError) {
            try twice(attempt)
        } catch {
            return
        }
    }
}
