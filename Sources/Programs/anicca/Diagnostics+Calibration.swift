import Devices
import System

extension Diagnostics {
    var calibration: CheckResult {
        do {
            let all = try CalibrationFile(in: settings.store.directory).read()
            guard !all.isEmpty else {
                return CheckResult("calibration", .skipped, "not calibrated: samples are used as the chip gives them")
            }
            return CheckResult("calibration", .ok, all.map(\.text).joined(separator: "; "))
        } catch .broken(let path, let line) {
            return CheckResult(
                "calibration", .warning, "\(path):\(line) is not a calibration, so samples are not corrected",
                advice: "run: sudo anicca sensor calibrate")
        } catch {
            return CheckResult(
                "calibration", .warning, "\(error), so samples are not corrected", advice: "run: \(sudoCommand)")
        }
    }
}

extension StoredCalibration {
    /// The chip, the date and the quality.
    var text: String {
        "\(chip) at \(address), of \("\(madeAt)".prefix(10)): error \(SensorFigures.mg(errorAfter)), "
            + "\(SensorFigures.mg(errorBefore)) without it"
    }
}

extension CalibrationError {
    var exitCode: ExitCode {
        switch self {
        case .unreadable(.denied), .unwritable(.denied): .noPermission
        case .unreadable: .noInput
        case .unwritable: .cannotCreate
        case .broken: .dataError
        }
    }
}
