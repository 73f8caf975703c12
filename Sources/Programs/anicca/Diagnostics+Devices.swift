import Devices
import System
import Core

/// The checks of the bus and the IMU, which read only its identity register, and the common parts of the checks of
/// lines. A line in use is not touched.
extension Diagnostics {
    var bus: CheckResult {
        let path = settings.imu.bus
        do {
            _ = try openI2CBus(path)
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
            return sensor(on: try openI2CBus(settings.imu.bus))
        } catch {
            return CheckResult("imu", .skipped, "needs the I2C bus")
        }
    }

    func sensor(on bus: any I2CBus) -> CheckResult {
        let answers = ChipSearch<Chip>.answers(on: bus)
        do {
            let found = try ChipSearch<Chip>(settings.imu).find(on: bus)
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

    private func advice(toFind place: ChipSearch<Chip>.Place) -> String {
        let imu = settings.imu
        if let sensor = imu.sensor, sensor != place.chip.id { return "set sensor = \(place.chip.id) in [imu]" }
        return "set address = \(place.address) in [imu]"
    }

    private func text(of answer: (place: ChipSearch<Chip>.Place, identity: UInt8)) -> String {
        "\(answer.place.address) has identity \(hexadecimal(answer.identity))"
    }

    /// The result for a line in use; nil for a free one.
    func heldLine(_ check: String, _ chip: String, _ offset: UInt32) throws(BusError) -> CheckResult? {
        guard let holder = try LinuxPulseLine.holder(chip: chip, offset: offset) else { return nil }
        if holder == LinuxPulseLine.consumer {
            return CheckResult(check, .ok, "\(chip) line \(offset) is in use by aniccad")
        }
        let name = holder.isEmpty ? "a kernel driver" : "\"\(holder)\""
        return CheckResult(
            check, .failed, "\(chip) line \(offset) is held by \(name)", advice: "free it, or wire to another line")
    }

    func line(_ check: String, _ chip: String, _ offset: UInt32, _ edge: LinuxPulseLine.Edge) -> CheckResult {
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
    /// `an` before a name that begins with a vowel sound when spelled out: an MPU-6050, an LIS3DH.
    var article: String { "AEFHILMNORSX8".contains(prefix(1)) ? "an" : "a" }
}
