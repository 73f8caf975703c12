import Config
import Domains
import System
import Devices

/// A step sensor, a motor or a buzzer: a line of a GPIO chip.
final class LineHandler: HardwareHints {
    let domain: Domain
    let device: String
    private let chip: String
    /// Nil if nothing is wired.
    private let line: UInt32?
    /// The settings for the request of an input; nil for an output, which a check must not drive.
    private let input: (edge: LinuxPulseLine.Edge, bias: LinuxPulseLine.Bias)?

    init(_ domain: Domain, input steps: StepsSettings.PulseLine) {
        self.domain = domain
        device = "step sensor"
        chip = steps.chip
        line = steps.line
        input = (steps.edge, steps.bias)
    }

    init(_ domain: Domain, output alarm: AlarmSettings) {
        self.domain = domain
        device = "motor or buzzer"
        chip = alarm.chip
        line = alarm.line
        input = nil
    }

    var nodes: [String] { line == nil ? [] : [chip] }

    var currentStatus: DeviceStatus {
        guard let line else { return .blocked(.absent, reason: "[\(domain)] line is not set in the config") }
        do {
            try DeviceNodes.look(at: chip)
            return .ready
        } catch {
            return status(of: error, line)
        }
    }

    func requestAccess() -> DeviceStatus {
        let status = currentStatus
        guard status == .ready, let line else { return status }
        do {
            return try self.status(of: line, heldBy: LinuxPulseLine.holder(chip: chip, offset: line))
        } catch {
            return self.status(of: error, line)
        }
    }

    /// `holder` is the name that the holder gave: empty for a kernel driver without one, nil for a free line.
    func status(of line: UInt32, heldBy holder: String?) throws(BusError) -> DeviceStatus {
        guard let holder else {
            if let input {
                try LinuxPulseLine(chip: chip, offset: line, edge: input.edge, bias: input.bias).close()
            }
            return .ready
        }
        if holder == LinuxPulseLine.consumer { return .ready }
        let name = holder.isEmpty ? "a kernel driver" : "\"\(escapingControls(holder))\""
        return .failing(reason: "\(chip) line \(line): held by \(name)")
    }

    var hintWhenAbsent: String {
        if line == nil { return "wire it and set line in [\(domain)], such as line = 17; gpioinfo lists the lines" }
        return "correct chip and line in [\(domain)]; gpiodetect lists the chips, gpioinfo their lines"
    }

    var hintWhenRefused: String {
        "run: usermod -aG gpio anicca, then: systemctl restart aniccad; where the node has another group, "
            + #"add the udev rule SUBSYSTEM=="gpio", GROUP="gpio", MODE="0660""#
    }

    private func status(of error: BusError, _ line: UInt32) -> DeviceStatus {
        let unsuitable = input == nil ? "no such GPIO line" : "no such GPIO line that can be watched for edges"
        return DeviceStatus(error, at: "\(chip) line \(line)", unsuitable: unsuitable)
    }
}
