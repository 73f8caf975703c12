import CLinux
import Glibc
import Devices
import Core
import SimulatedBus

/// A scripted line in real time: its descriptor becomes readable when a pulse waits, like that of a kernel line.
final class TimedPulseLine: PulseLine {
    /// A timer on boot time that has expired while a pulse waits (timerfd_create(2)); nil if the kernel provides none.
    let fileDescriptor: Int32?
    private let line: ScriptedPulseLine

    init(_ line: ScriptedPulseLine) {
        self.line = line
        let timer = timerfd_create(CLOCK_BOOTTIME, Int32(TFD_CLOEXEC | TFD_NONBLOCK))
        fileDescriptor = timer >= 0 ? timer : nil
        arm()
    }

    deinit { if let fileDescriptor { close(fileDescriptor) } }

    var kernelBuffer: Int { line.kernelBuffer }

    func drain(at now: BootTime) throws(BusError) -> PulseBatch {
        let batch = try line.drain(at: now)
        arm()
        return batch
    }

    /// Sets the timer to the oldest pending pulse, or stops it.
    private func arm() {
        guard let fileDescriptor else { return }
        let next = line.nextPulse(after: BootTime(nanoseconds: .min))?.nanoseconds ?? 0
        let time = timespec(tv_sec: Int(next / 1_000_000_000), tv_nsec: Int(next % 1_000_000_000))
        var setting = itimerspec(it_interval: timespec(), it_value: time)
        timerfd_settime(fileDescriptor, Int32(TFD_TIMER_ABSTIME), &setting, nil)
    }
}
