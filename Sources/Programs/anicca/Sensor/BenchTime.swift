import Commands
import System
import Core

/// The time of a command that uses the sensor itself.
struct BenchTime {
    let now: () -> BootTime
    /// Throws `Interruption` if the command should end.
    let wait: (Interval) throws -> Void
}

/// A signal that asks the program to end.
struct Interruption: Error {
    let signal: Int32
}

extension HeldSignals {
    var time: BenchTime {
        BenchTime(now: { Instant.now.boot }) { length in
            if let signal = take(within: length) { throw Interruption(signal: signal) }
        }
    }
}
