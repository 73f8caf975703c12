import Chips
import Domains
import Files
import Gpsd
import LinuxBus
import Permissions
import Ports
import Program

/// Buses, chips and lines, and gpsd. Of a chip only the identity register is read, and of gpsd its greeting, which wakes no receiver; a
/// line that is held is not touched.
extension Diagnostics {
    var bus: CheckResult {
        let path = settings.imu.bus
        do {
            _ = try LinuxI2CBus(path: path)
            return CheckResult("i2c-bus", .ok, "\(path) can be opened")
        } catch {
            let others = LinuxI2CBus.nodes().filter { $0 != path }
            let known = others.isEmpty ? "" : "; there is \(others.joined(separator: ", "))"
            return CheckResult(
                "i2c-bus", .failed, "\(path): \(error.words.node)\(known)", advice: error.words.nodeAdvice)
        }
    }

    var sensor: CheckResult {
        do {
            return sensor(on: try LinuxI2CBus(path: settings.imu.bus))
        } catch {
            return CheckResult("imu", .skipped, "needs the I2C bus")
        }
    }

    func sensor(on bus: any I2CBus) -> CheckResult {
        let answers = SensorSearch.answers(on: bus)
        do {
            let found = try SensorSearch(settings.imu).find(on: bus)
            let others = answers.filter { $0.place.address != found.address }.map { ", \(text(of: $0))" }
            let name = "\(found.chip.name.article) \(found.chip.name)"
            let own = answers.first { $0.place.address == found.address }.map { text(of: $0) } ?? "\(found.address)"
            return CheckResult("imu", .ok, "\(name), \(own)" + others.joined())
        } catch {
            if let answer = answers.first(where: { $0.place.chip.identities.contains($0.identity) }) {
                return CheckResult(
                    "imu", .failed, "\(error), but \(text(of: answer))",
                    advice: advice(toFind: answer.place))
            }
            return CheckResult("imu", error: "\(error)", adviceAfter: "; ")
        }
    }

    private func advice(toFind place: SensorSearch.Place) -> String {
        let imu = settings.imu
        if let sensor = imu.sensor, sensor != place.chip.id { return "set sensor = \(place.chip.id) in [imu]" }
        return "set address = \(place.address) in [imu]"
    }

    private func text(of answer: (place: SensorSearch.Place, identity: UInt8)) -> String {
        "\(answer.place.address) has identity \(hexadecimal(answer.identity))"
    }

    var stepLine: CheckResult {
        guard let offset = settings.pulseLine.line else {
            return CheckResult("step-line", .skipped, "not wired ([steps] line is not set): steps come from the IMU")
        }
        let edge: LinuxPulseLine.Edge = settings.pulseLine.edge == .rising ? .rising : .falling
        return line("step-line", settings.pulseLine.chip, offset, edge)
    }

    var interruptLine: CheckResult {
        guard let chip = settings.imu.interruptChip, let offset = settings.imu.interruptLine else {
            let rule = settings.dutyCycle
            let asks =
                ": the chip is asked every \(rule.attentiveAsking.inSeconds) s whether it moved, "
                + "at rest every \(rule.relaxedAsking.inSeconds) s"
            return CheckResult(
                "interrupt-line", .skipped,
                "not wired ([imu] interrupt-line is not set)" + (settings.pulseLine.isWired ? "" : asks))
        }
        return line("interrupt-line", chip, offset, .rising)
    }

    /// An output is not driven as a mere test.
    var alarmLine: CheckResult {
        guard let offset = settings.alarm.line else {
            return CheckResult("alarm-line", .skipped, "not wired ([alarm] line is not set): nothing is played")
        }
        let chip = settings.alarm.chip
        do {
            if let held = try heldLine("alarm-line", chip, offset) { return held }
        } catch {
            return CheckResult("alarm-line", error: "\(chip) line \(offset): \(error.lineAdvice)", adviceAfter: "; ")
        }
        guard LocalZone.choose(settings.alarm.timeZone) else {
            return CheckResult(
                "alarm-line", .warning, "the time-zone database lacks the zone of the wearer, so times are UTC",
                advice: "run: apt install tzdata, or correct time-zone in [alarm]")
        }
        return CheckResult("alarm-line", .ok, "\(chip) line \(offset) is free")
    }

    /// A device without a receiver is in order while location is off.
    var gpsd: CheckResult {
        guard let handler = linuxHandlers(settings).first(where: { $0.domain == .location }) as? any HardwareHints
        else { return CheckResult("gpsd", .skipped, "location has other hardware") }
        let status = handler.requestAccess()
        guard let reason = status.reason else {
            return CheckResult("gpsd", .ok, "it greets at \(GPSDAddress(settings.location))")
        }
        guard isLocationOn else { return CheckResult("gpsd", .skipped, "location is off, and \(reason)") }
        guard case .blocked(let obstacle, _) = status else {
            return CheckResult("gpsd", .warning, reason, advice: "see: systemctl status gpsd anicca-gpsd.socket")
        }
        let advice = obstacle == .refused ? handler.hintWhenRefused : handler.hintWhenAbsent
        return CheckResult("gpsd", .failed, reason, advice: advice)
    }

    /// No as well where the store cannot be read, which another check tells.
    private var isLocationOn: Bool {
        do {
            return try installation.openStore().consent().state.toggles.allows(.location)
        } catch {
            return false
        }
    }

    /// What is to be said of a line that somebody holds; nil for a free one.
    private func heldLine(_ check: String, _ chip: String, _ offset: UInt32) throws(BusError) -> CheckResult? {
        guard let holder = try LinuxPulseLine.holder(chip: chip, offset: offset) else { return nil }
        if holder == LinuxPulseLine.consumer {
            return CheckResult(check, .ok, "\(chip) line \(offset) is in use by aniccad")
        }
        let name = holder.isEmpty ? "a kernel driver" : "\"\(holder)\""
        return CheckResult(
            check, .failed, "\(chip) line \(offset) is held by \(name)", advice: "free it, or wire to another line")
    }

    private func line(_ check: String, _ chip: String, _ offset: UInt32, _ edge: LinuxPulseLine.Edge) -> CheckResult {
        let name = "\(chip) line \(offset)"
        do {
            if let held = try heldLine(check, chip, offset) { return held }
            try LinuxPulseLine(chip: chip, offset: offset, edge: edge).close()
            return CheckResult(check, .ok, "\(name) is free")
        } catch .busy {
            return CheckResult(check, .ok, "\(name) is in use")
        } catch {
            return CheckResult(check, error: "\(name): \(error.lineAdvice)", adviceAfter: "; ")
        }
    }
}

extension String {
    /// `an` before a name that begins with a vowel's sound, letter by letter: an MPU-6050, an LIS3DH.
    var article: String { "AEFHILMNORSX8".contains(prefix(1)) ? "an" : "a" }
}

func hexadecimal(_ byte: UInt8) -> String {
    (byte < 16 ? "0x0" : "0x") + String(byte, radix: 16, uppercase: true)
}
