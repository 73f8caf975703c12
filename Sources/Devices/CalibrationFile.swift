import System
import Glibc
import Core

/// The calibrations of this device's chips: a short text file in the state directory, one line for each.
///
/// The content is untrusted until it is parsed.
public struct CalibrationFile: Sendable {
    public let path: String
    private let directory: String

    private static let name = "calibration"
    private static let longest = 4096
    private static let mostCalibrations = 16
    private static let heading =
        "# anicca calibration 1: chip address date gain-x gain-y gain-z offset-x offset-y offset-z "
        + "error-before error-after; in millionths, offsets and errors of g"

    /// - Parameter directory: The state directory.
    public init(in directory: String) {
        self.directory = directory
        path = "\(directory)/\(Self.name)"
    }

    /// Empty if there is no file.
    public func read() throws(CalibrationError) -> [StoredCalibration] {
        let bytes: [UInt8]
        do {
            bytes = try readFile(path, limit: Self.longest, privacy: .shared)
        } catch .absent {
            return []
        } catch {
            throw .unreadable(error)
        }
        var calibrations: [StoredCalibration] = []
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
        for (index, line) in lines.enumerated() where !line.isEmpty && !line.hasPrefix("#") {
            guard let calibration = StoredCalibration(line: line) else { throw .broken(path: path, line: index + 1) }
            calibrations.append(calibration)
        }
        return calibrations
    }

    /// The last calibration of this chip at this address; nil if there is none.
    public func calibration(
        of chip: String, at address: I2CAddress
    ) throws(CalibrationError) -> StoredCalibration? {
        try read().last { $0.chip == chip && $0.address == address }
    }

    /// Stores a calibration. It replaces one of the same chip at the same address, and a broken file.
    public func keep(_ calibration: StoredCalibration) throws(CalibrationError) {
        var all: [StoredCalibration]
        do {
            all = try read()
        } catch .broken {
            all = []
        }
        all.removeAll { $0.chip == calibration.chip && $0.address == calibration.address }
        let lines = (all.suffix(Self.mostCalibrations - 1) + [calibration]).map(\.line)
        let text = ([Self.heading] + lines).joined(separator: "\n") + "\n"
        do {
            try replaceFile(path, with: Array(text.utf8), draft: "\(directory)/.\(Self.name).part")
        } catch {
            throw .unwritable(error)
        }
    }

    /// Deletes the file. False if there was none.
    public func remove() throws(CalibrationError) -> Bool {
        do {
            return try removeFile(path)
        } catch {
            throw .unwritable(error)
        }
    }
}

/// The reason why calibrations could not be read or stored.
public enum CalibrationError: Error, Hashable, Sendable {
    case unreadable(FileError)
    case unwritable(FileError)
    /// A line is not a calibration.
    case broken(path: String, line: Int)
}

extension CalibrationError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .unreadable(let error): "\(error)"
        case .unwritable(let error): "\(error)"
        case .broken(let path, let line):
            "\(path):\(line): not a calibration; run: sudo anicca sensor calibrate, or delete the file with --reset"
        }
    }
}
