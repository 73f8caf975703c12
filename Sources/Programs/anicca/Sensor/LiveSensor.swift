import Domains
import Devices
import Core
import Sensing
import Signal

/// Reads a sensor and its lines continuously, and judges each window like the daemon.
///
/// Faults do not end it: a failing chip is set up again about once a second.
final class LiveSensor {
    private let sensor: any Accelerometer
    private let pulseLine: (any PulseLine)?
    private let motionLine: (any PulseLine)?
    private(set) var view = LiveView()

    private var state = State.asleep
    private var assembler: WindowAssembler
    private var judge = ActivityJudge()
    private var gait = GaitSteps()
    private var rhythm: PulseRhythm
    /// The end of the latest window, and the steps credited in the last ones.
    private var lastWindow: BootTime?
    private var latestSteps: [Int] = []
    private var latestPulses: [BootTime] = []

    private enum State: Equatable {
        case asleep
        case sampling
        case watchingForMotion
        case failed(since: BootTime)
    }

    /// - Parameter rhythm: the rule for steps among pulses.
    init(
        _ sensor: any Accelerometer, pulseLine: (any PulseLine)?, motionLine: (any PulseLine)?,
        rhythm: RhythmRule = RhythmRule()
    ) {
        self.sensor = sensor
        self.pulseLine = pulseLine
        self.motionLine = motionLine
        self.rhythm = PulseRhythm(rule: rhythm)
        assembler = WindowAssembler(period: sensor.chip.sampling.period)
    }

    /// Processes new input since the last call. Call it several times a second: if the FIFO overflows, samples are
    /// lost, which is reported as a fault.
    func look(at now: BootTime, _ permitted: LiveView.Permitted) {
        view.permitted = permitted
        takePulses(at: now)
        takeInterrupts(at: now)
        do {
            try follow(permitted.acceleration, at: now)
            if state == .sampling { try takeSamples(at: now) }
        } catch {
            view.fault = "\(error)"
            forgetWindows()
            state = .failed(since: now)
        }
    }

    /// Makes the chip rest with its motion detector armed, or sample again.
    func watchForMotion(_ isWanted: Bool) { view.isWatchingForMotion = isWanted }

    /// Another program may have changed the chip, so it is set up again.
    func setUpAgain() { state = .asleep }

    // MARK: The chip

    private func follow(_ isPermitted: Bool, at now: BootTime) throws(SensorError) {
        if case .failed(let since) = state, now - since < .seconds(1) { return }
        let wanted: State = !isPermitted ? .asleep : view.isWatchingForMotion ? .watchingForMotion : .sampling
        guard state != wanted else { return }
        if state != .sampling, state != .watchingForMotion { try sensor.initialise() }
        switch wanted {
        case .sampling: try sensor.start()
        // The detector compares with earlier samples.
        case .watchingForMotion:
            if state != .sampling { try sensor.start() }
            try sensor.rest(wakeOnMotion: true)
        case .asleep, .failed: try sensor.sleep()
        }
        state = wanted
        view.fault = nil
        forgetWindows()
    }

    private func forgetWindows() {
        assembler = WindowAssembler(period: sensor.chip.sampling.period)
        view.acceleration = nil
        view.judgement = nil
        lastWindow = nil
        gait = GaitSteps()
        latestSteps = []
        if pulseLine == nil { view.cadence = nil }
    }

    private func takeSamples(at now: BootTime) throws(SensorError) {
        let samples = try sensor.drain(.max).samples
        guard let latest = samples.last else { return }
        view.acceleration = latest
        assembler.add(samples)
        while let window = assembler.takeWindow() { take(window, at: now) }
    }

    private func take(_ window: Window, at now: BootTime) {
        let features = ActivityFeatures(window)
        view.judgement = judge.judge(features, after: lastWindow.map { _ in Window.duration })
        lastWindow = now
        guard view.permitted.steps, pulseLine == nil else { return }
        for sample in window.samples { gait.add(sample) }
        let credited = gait.credit(given: judge.belief, alone: judge.alone)
        view.steps += credited
        latestSteps = (latestSteps + [credited]).suffix(3)
        let minutes = Float(latestSteps.count) * Float(Window.duration.inMilliseconds) / 60_000
        let steps = latestSteps.reduce(0, +)
        view.cadence = steps > 0 ? Float(steps) / minutes : nil
    }

    // MARK: The lines

    private func takePulses(at now: BootTime) {
        guard let pulseLine else { return }
        do {
            let batch = try pulseLine.drain(at: now)
            guard view.permitted.steps else {
                view.pulses = nil
                return
            }
            view.pulses = (view.pulses ?? 0) + batch.pulses.count
            for pulse in batch.pulses { view.steps += rhythm.add(pulse).count }
            latestPulses = (latestPulses + batch.pulses).suffix(6)
            view.cadence = cadence(at: now)
        } catch {
            view.fault = "step line: \(error.lineAdvice)"
        }
    }

    /// The cadence of the latest pulses, while they continue.
    private func cadence(at now: BootTime) -> Float? {
        guard let first = latestPulses.first, let last = latestPulses.last, latestPulses.count > 2 else { return nil }
        guard now - last < .seconds(3), last > first else { return nil }
        return Float(latestPulses.count - 1) * 60_000 / Float((last - first).inMilliseconds)
    }

    private func takeInterrupts(at now: BootTime) {
        guard let motionLine else { return }
        do {
            view.interrupts = (view.interrupts ?? 0) + (try motionLine.drain(at: now).pulses.count)
        } catch {
            view.fault = "interrupt line: \(error.lineAdvice)"
        }
    }
}
