import Glibc
import Core

/// Makes the pulses of a plan on a line of gpio-sim.
struct PulseGenerator {
    /// The times of the line's first and last rise, each taken just after the write to the kernel.
    struct Report: Equatable {
        var count = 0
        var first = BootTime(nanoseconds: 0)
        var last = BootTime(nanoseconds: 0)

        var line: String { "pulses=\(count) first=\(first.nanoseconds) last=\(last.nanoseconds)" }
    }

    private let line: SimulatedLine
    private let progress: Descriptor?

    /// - Parameters:
    ///   - pull: The path of the line's attribute.
    ///   - progress: A file with the count of pulses: the number is on the disk before the line falls, so that at most
    ///     one pulse more has happened.
    init(pull: String, progress: String?) throws(HardwareError) {
        line = try SimulatedLine(pull: pull)
        self.progress = try progress.map { (path) throws(HardwareError) in
            try Descriptor(opening: path, O_WRONLY | O_CREAT)
        }
    }

    /// Makes all the pulses. One that comes late moves those after it, so that no gap is shorter than planned.
    func run(_ plan: PulsePlan) throws(HardwareError) -> Report {
        var report = Report()
        try note(0)
        try line.set(high: false)
        var due = BootTime.now
        for gap in plan.gaps + [.zero] {
            sleep(until: due)
            try line.set(high: true)
            report.last = .now
            report.count += 1
            if report.count == 1 { report.first = report.last }
            try note(report.count)
            sleep(until: report.last + plan.high)
            try line.set(high: false)
            due = report.last + gap
        }
        return report
    }

    private func note(_ count: Int) throws(HardwareError) {
        guard let progress else { return }
        // Of one length, so that a write replaces all of the one before.
        let digits = String(count)
        let bytes = Array((String(repeating: " ", count: max(0, 9 - digits.utf8.count)) + digits + "\n").utf8)
        guard pwrite(progress.number, bytes, bytes.count, 0) == bytes.count, fdatasync(progress.number) == 0 else {
            throw HardwareError(systemCall: "the progress cannot be written")
        }
    }
}
