import Domains
import Sensing
import Devices
import System
import Core

/// The line of `[alarm] snooze-line`, while it is held and watched.
final class SnoozeButton {
    let line: any PulseLine
    private var watch: (any EventSource)?

    init(_ line: any PulseLine, on loop: any EventLoop, _ handler: @escaping () -> Void) throws(LoopError) {
        self.line = line
        if let descriptor = line.fileDescriptor { watch = try loop.watch(descriptor, handler) }
    }

    // The watch must end before the line closes its descriptor.
    deinit { watch = nil }
}

extension AlarmDesk {
    static let snooze = Interval.minutes(9)

    /// Takes the button, if one is wired and not held yet.
    func holdButton() {
        guard button == nil else { return }
        do throws(BusError) {
            guard let line = try devices.openSnoozeButton() else { return }
            do throws(LoopError) {
                button = try SnoozeButton(line, on: loop) { [weak self] in self?.pressed() }
                hasToldOfButton = false
            } catch {
                tellOfButton("\(error)")
            }
        } catch {
            tellOfButton(error.lineAdvice)
        }
    }

    private func pressed() {
        let now = loop.now.boot
        do throws(BusError) {
            guard try button?.line.drain(at: now).pulses.isEmpty == false else { return }
        } catch {
            button = nil
            return tellOfButton(error.lineAdvice)
        }
        player.stop { if case .alarm = $0 { true } else { false } }
        change { [boot] in _ = $0.snooze(for: Self.snooze, at: now, in: boot) }
        onWake()
    }

    private func tellOfButton(_ reason: String) {
        guard !hasToldOfButton else { return }
        hasToldOfButton = true
        journal.log(.warning, .lineFailed, domain: .alarm, "snooze button: \(reason); continuing without it")
    }
}
