import Chips
import Files
import LinuxBus
import Ports
import Sensing

/// Buses, chips and lines. Of a chip only the identity register is read; a line that is held is not touched.
extension Diagnostics {
    var bus: CheckResult {
        let path = settings.imu.bus
        do {
            _ = try LinuxI2CBus(path: path)
            return CheckResult("i2c-bus", .ok, "\(path) can be opened")
        } catch {
            let others = LinuxI2CBus.nodes().filter { $0 != path }
            let known = others.isEmpty ? "" : "; there is \(others.joined(separator: ", "))"
            return CheckResult("i2c-bus", .failed, "\(path): \(error.whatOfNode)\(known)", advice: error.adviceForBus)
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
        let answers = answers(on: bus)
        do {
            let address = try findSensor(on: bus)
            let others = answers.filter { $0.address != address }.map { ", \($0)" }
            return CheckResult("imu", .ok, "an MPU-6050, \(Answer(address: address))" + others.joined())
        } catch {
            if let answer = answers.first(where: \.isSupported) {
                return CheckResult(
                    "imu", .failed, "\(error), but \(answer)", advice: "set address = \(answer.address.text) in [imu]")
            }
            return CheckResult("imu", error: "\(error)", adviceAfter: "; ")
        }
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

    /// As the daemon finds it, so that both agree.
    private func findSensor(on bus: any I2CBus) throws(SensorError) -> I2CAddress {
        guard let fixed = settings.imu.address, let address = I2CAddress(fixed) else { return try MPU6050.probe(bus) }
        try MPU6050(bus: bus, address: address).identify()
        return address
    }

    /// What answers at the addresses where the sensor can be.
    private func answers(on bus: any I2CBus) -> [Answer] {
        MPU6050.addresses.compactMap { address in
            do {
                let identity = try bus.read(1, from: MPU6050.identityRegister, of: address)
                return identity.first.map { Answer(address: address, identity: $0) }
            } catch {
                return nil  // Why is told by the search that the daemon does.
            }
        }
    }

    private func line(_ check: String, _ chip: String, _ offset: UInt32, _ edge: LinuxPulseLine.Edge) -> CheckResult {
        let name = "\(chip) line \(offset)"
        do {
            if let holder = try LinuxPulseLine.holder(chip: chip, offset: offset) {
                if holder == LinuxPulseLine.consumer { return CheckResult(check, .ok, "\(name) is in use by aniccad") }
                let name = holder.isEmpty ? "a kernel driver" : "\"\(holder)\""
                return CheckResult(
                    check, .failed, "\(chip) line \(offset) is held by \(name)",
                    advice: "free it, or wire to another line")
            }
            try LinuxPulseLine(chip: chip, offset: offset, edge: edge).close()
            return CheckResult(check, .ok, "\(name) is free")
        } catch .busy {
            return CheckResult(check, .ok, "\(name) is in use")
        } catch {
            return CheckResult(check, error: "\(name): \(error.lineAdvice)", adviceAfter: "; ")
        }
    }
}

/// Something on the bus, and what its identity register holds.
private struct Answer: CustomStringConvertible {
    let address: I2CAddress
    var identity = MPU6050.identity

    var isSupported: Bool { identity == MPU6050.identity }
    var description: String { "\(address.text) has identity \(hexadecimal(identity))" }
}

extension I2CAddress {
    fileprivate var text: String { hexadecimal(rawValue) }
}

private func hexadecimal(_ byte: UInt8) -> String { (byte < 16 ? "0x0" : "0x") + String(byte, radix: 16) }

extension BusError {
    fileprivate var whatOfNode: String {
        switch self {
        case .absent: "does not exist"
        case .denied: "permission denied"
        case .unsupported: "not an I2C bus that can be used"
        case .busy, .noAcknowledge, .stuck: "does not answer"
        case .failed(let errno): "errno \(errno)"
        }
    }

    fileprivate var adviceForBus: String {
        switch self {
        case .absent: "turn I2C on (raspi-config, Interface Options), or correct bus in [imu]"
        case .denied: "put the user into the group i2c: usermod -aG i2c anicca"
        case .unsupported: "correct bus in [imu]; i2cdetect -l lists the buses"
        case .busy, .noAcknowledge, .stuck, .failed: "see the kernel's log (dmesg)"
        }
    }
}
