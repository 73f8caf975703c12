import Ports
import Quantities

/// The pulse line.
extension SensingService {
    func openLine() -> SensingEvent {
        do {
            let line = try devices.openPulseLine()
            pulseLine = line
            return .lineOpened(kernelBuffer: line.kernelBuffer)
        } catch {
            return .lineFailed(DeviceFault(error, ofLineAt: devices.pulseLinePlace))
        }
    }

    func closeLine() {
        pulseLine = nil
        devices.closePulseLine()
    }

    func drainPulses(at now: Instant) -> SensingEvent {
        guard let pulseLine else { return .pulses(PulseBatch()) }
        do {
            let batch = try pulseLine.drain(at: now.boot)
            hasNews = hasNews || !batch.pulses.isEmpty
            return .pulses(batch)
        } catch {
            return .lineFailed(DeviceFault(error, ofLineAt: devices.pulseLinePlace))
        }
    }
}
