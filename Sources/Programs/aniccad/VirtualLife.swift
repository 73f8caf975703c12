import Agent
import Config
import Files
import Glibc
import Journaling
import Ledger
import Program
import Quantities
import Sensing
import SimulatedBus
import Simulation

/// `aniccad --simulate SEED --days N`: days of virtual time, one line of JSON on stdout for the cost of each.
struct VirtualLife {
    let wearer: Arguments.Wearer
    let days: Int
    let arguments: Arguments

    /// Lives to the end of the last day, or to SIGTERM, and returns the exit code.
    func run(settings: Settings, store: LedgerStore, journal: Journal) throws -> Int32 {
        let keptTime = try arguments.clockFile.map { try KeptTime(path: $0) }
        let clock = VirtualClock(bootingAt: keptTime?.time ?? arguments.firstDay.start)
        let devices = wearer.devices(
            from: arguments.firstDay, days: days, clock: clock, hasPulseLine: arguments.hasPulseLine,
            kernelBuffer: arguments.kernelBuffer, imu: arguments.imu)
        let loop = VirtualLoop(devices, seed: 1)
        let daemon = Daemon(
            loop: loop, journal: journal, settings: settings, store: store, makeDevices: { _ in devices },
            reload: { () throws(SettingsError) in try Settings.load(arguments.configPath, sensors: .known) })
        let meter = CostMeter(devices, storeBytes: StoreMeter().bytes) { [unowned daemon] in daemon.service }
        meter.onDay = { writeLine($0.json, to: STDOUT_FILENO) }
        loop.observer = meter
        loop.end = (arguments.firstDay + days).start
        let signals = PendingSignals([SIGTERM, SIGINT, SIGHUP])
        loop.onMinute = { [unowned loop] now in
            keptTime?.time = now.wall
            if let signal = signals.take() { loop.send(signal) }
        }
        return try daemon.run()
    }
}

/// Signals that wait to be asked for: virtual time has nothing that they could interrupt.
private struct PendingSignals {
    private var set = sigset_t()

    init(_ signals: [Int32]) {
        sigemptyset(&set)
        for signal in signals { sigaddset(&set, signal) }
        pthread_sigmask(SIG_BLOCK, &set, nil)
    }

    /// One that has arrived, if any has.
    func take() -> Int32? {
        var set = set
        var noWait = timespec()
        let signal = sigtimedwait(&set, nil, &noWait)
        return signal > 0 ? signal : nil
    }
}

/// A point in virtual time in a file that survives the process, because it is mapped and not written.
private final class KeptTime {
    private let memory: UnsafeMutablePointer<Int64>

    init(path: String) throws(FileError) {
        let file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard file >= 0, ftruncate(file, off_t(MemoryLayout<Int64>.size)) == 0 else {
            throw FileError(errno: errno, path: path)
        }
        defer { close(file) }
        guard let mapped = mmap(nil, MemoryLayout<Int64>.size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0),
            mapped != MAP_FAILED
        else { throw FileError(errno: errno, path: path) }
        memory = mapped.bindMemory(to: Int64.self, capacity: 1)
    }

    /// Nil in a new file.
    var time: WallTime? {
        get { memory.pointee == 0 ? nil : WallTime(nanoseconds: memory.pointee) }
        set { memory.pointee = newValue?.nanoseconds ?? 0 }
    }
}

extension DayCost {
    /// One line for programs.
    fileprivate var json: String {
        """
        {"kind":"day","date":"\(day)","wakeUps":\(wakeUps),"i2cBytes":\(busBytes),\
        "i2cMs":\(busTime.inMilliseconds),"storeBytes":\(storeBytes),\
        "attentiveMs":\(attentive.time.inMilliseconds),"attentiveOnMs":\(attentive.on.inMilliseconds),\
        "relaxedMs":\(relaxed.time.inMilliseconds),"relaxedOnMs":\(relaxed.on.inMilliseconds)}
        """
    }
}

extension Arguments.Wearer {
    /// The devices of a wearer whose life covers the days from `firstDay` on.
    func devices(
        from firstDay: UTCDay, days: Int, clock: VirtualClock, hasMotionLine: Bool = true, hasPulseLine: Bool = true,
        kernelBuffer: Int = 1024, imu: SimulatedIMU
    ) -> SimulatedDevices {
        let life: WearerLife
        switch self {
        case .seed(let seed): life = WearerLife(firstDay: firstDay, days: days, seed: seed)
        case .typical: life = WearerLife(firstDay: firstDay, plans: Array(repeating: .typical, count: days), seed: 1)
        case .resting:
            let stillness = RecordedWearer([], from: clock.now.boot)
            return SimulatedDevices(
                source: stillness, pulses: [], clock: clock, hasMotionLine: hasMotionLine, hasPulseLine: hasPulseLine,
                kernelBuffer: kernelBuffer, imu: imu, seed: 1)
        }
        return SimulatedDevices(
            life: life, clock: clock, hasMotionLine: hasMotionLine, hasPulseLine: hasPulseLine,
            kernelBuffer: kernelBuffer, imu: imu)
    }
}
