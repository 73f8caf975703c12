import Foundation
import Testing

/// docs/field-guide.md has every message of `anicca doctor`, `sensor test`, `permissions` and `toggle`.
@Suite struct FieldGuideTests {
    private let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..").standardized
    private let guide: String

    /// The sources of the texts of the checks, of the errors that they pass on, and of the hints.
    private static let sources = [
        "Programs/anicca/Diagnostics.swift", "Programs/anicca/Diagnostics+Delivery.swift",
        "Programs/anicca/Diagnostics+Head.swift", "Programs/anicca/DaemonState.swift",
        "Programs/anicca/Diagnostics+Calibration.swift", "Programs/anicca/Diagnostics+Power.swift",
        "Programs/anicca/Sensor/SensorChecks.swift",
        "Programs/anicca/Sensor/SensorChecks+Hand.swift",
        "Programs/anicca/Diagnostics+Devices.swift", "Devices/Chips/SensorError.swift",
        "Devices/I2C/BusErrorWords.swift", "Devices/Accelerometers/MPU6050/Chip+MPU6050.swift",
        "Sensing/Session/SensingService+Sensor.swift", "Devices/Accelerometers/LIS3DH/Chip+LIS3DH.swift",
        "Devices/Accelerometers/ADXL345/Chip+ADXL345.swift", "Devices/Accelerometers/LSM6/LSM6.swift",
        "Devices/Accelerometers/RefusedChip.swift",
        "Store/Vault/VaultError.swift",
        "Store/Ledger/LedgerError.swift", "System/Files/FileError.swift",
        "Sensing/Consent/PermissionHandler.swift",
        "Sensing/Consent/ChipHandler.swift", "Sensing/Consent/LineHandler.swift",
        "Sensing/Consent/InboxHandler.swift", "Sensing/Consent/GPSDHandler.swift",
    ]

    init() throws {
        guide = try String(contentsOf: root.appending(path: "docs/field-guide.md"), encoding: .utf8)
    }

    @Test func everyCheckOfDoctorHasAHeading() throws {
        let headings = guide.split(separator: "\n").filter { $0.hasPrefix("### ") }.joined(separator: " ")
        let words = Set(headings.split(separator: " ").map(String.init))
        for check in try TestDevice().findings().keys { #expect(words.contains(check), "\(check)") }
    }

    @Test(arguments: sources)
    func everythingThatCanBeSaidIsInTheGuide(source: String) throws {
        let text = try String(contentsOf: root.appending(path: "Sources/\(source)"), encoding: .utf8)
        let sayings = text.split(separator: "\n").filter { !$0.contains("///") }.flatMap { fixedWords(in: $0) }
        #expect(!sayings.isEmpty)
        let missing = sayings.filter { !guide.contains($0) }
        #expect(missing == [], "of \(source) docs/field-guide.md lacks these")
    }
}

/// The fixed text of the string literals of a line: between interpolations, and of two words or more.
private func fixedWords(in line: Substring) -> [String] {
    var scanner = LiteralScanner(line)
    return scanner.pieces().compactMap { piece in
        let words = piece.trimmingCharacters(in: CharacterSet(charactersIn: " :;,("))
        return words.contains(" ") ? words : nil
    }
}

/// Finds the fixed text of Swift's string literals, of which each ends on the line where it begins.
private struct LiteralScanner {
    private var rest: Substring

    init(_ line: Substring) { rest = line }

    mutating func pieces() -> [String] {
        var pieces: [String] = []
        while let quote = rest.firstIndex(of: "\"") {
            let isRaw = rest[..<quote].last == "#"
            rest = rest[rest.index(after: quote)...]
            pieces += isRaw ? [rawLiteral()] : literal()
        }
        return pieces
    }

    private mutating func rawLiteral() -> String {
        let end = rest.range(of: "\"#") ?? rest.endIndex..<rest.endIndex
        defer { rest = rest[end.upperBound...] }
        return String(rest[..<end.lowerBound])
    }

    private mutating func literal() -> [String] {
        var pieces = [""]
        while let character = rest.popFirst(), character != "\"" {
            guard character == "\\", let escaped = rest.popFirst() else {
                pieces[pieces.count - 1].append(character)
                continue
            }
            if escaped == "(" {
                skipInterpolation()
                pieces.append("")
            } else {
                pieces[pieces.count - 1].append(escaped)
            }
        }
        return pieces
    }

    private mutating func skipInterpolation() {
        var depth = 1
        while depth > 0, let character = rest.popFirst() {
            switch character {
            case "(": depth += 1
            case ")": depth -= 1
            case "\"": _ = literal()
            default: break
            }
        }
    }
}
