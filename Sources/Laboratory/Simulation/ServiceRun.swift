import Agent
import Sensing
import System
import Devices
import Core

/// A `SensingService` without a consent keeper, on simulated devices in virtual time.
public final class ServiceRun {
    private let service: SensingService
    private let devices: SimulatedDevices
    private let loop: VirtualLoop
    private let meter: CostMeter
    private var agendaWait: AgendaWait?

    /// - Parameters:
    ///   - service: Runs on `devices`.
    ///   - seed: Of the wake-up delays.
    public init(service: SensingService, devices: SimulatedDevices, seed: UInt64) {
        self.service = service
        self.devices = devices
        loop = VirtualLoop(devices, seed: seed)
        meter = CostMeter(devices) { service }
        loop.observer = meter
        do throws(LoopError) {
            let journal = Journal(identifier: "simulation") { _ in }
            agendaWait = try AgendaWait(loop: loop, journal: journal) { [weak self] in self?.handle($0) }
        } catch {
            preconditionFailure("a loop takes timers until it was stopped")
        }
    }

    /// The cost of each day, in order; the last day is not over.
    public var costs: [DayCost] { meter.costs }

    /// Runs until the clock shows `end`.
    public func run(until end: WallTime) {
        wait()
        loop.run(until: end)
    }

    private func handle(_ cause: SensingService.WakeCause) {
        service.handle(cause, at: loop.now)
        wait()
    }

    private func wait() {
        devices.onClosingLine = { [weak self] in self?.agendaWait?.dropWatches() }
        agendaWait?.wait(for: service, on: devices)
    }
}
