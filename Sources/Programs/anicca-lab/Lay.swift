import ArgumentParser
import Commands
import Config
import Core
import Devices
import Sensing
import System

/// `anicca-lab lay`
struct Lay: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Take the sensor of anicca-lab live off and lay it down, or put it on again.",
        discussion: """
            For anicca sensor calibrate, which wants the sensor in six positions. The axis that is named points up or down.

            Examples:
              anicca-lab lay x-up --config my.conf
              anicca-lab lay worn --config my.conf

            Exit status: 69 the configuration is not that of a running anicca-lab live.
            """)

    @Argument(help: "The position of the sensor.")
    var position: SensorPosition

    @Option(help: ArgumentHelp("The configuration that anicca-lab live shows.", valueName: "file"))
    var config: String

    func run() throws {
        let settings = try readSettings(config)
        guard isSocket(settings.imu.bus) else {
            throw Failure("\(config): not the configuration of a running anicca-lab live", .unavailable)
        }
        do {
            try position.store(in: settings.store.directory)
        } catch {
            throw Failure("\(error)", .cannotCreate)
        }
    }
}

/// How the sensor of `anicca-lab live` lies. Kept in a file of its directory.
enum SensorPosition: String, CaseIterable, ExpressibleByArgument {
    case worn
    case xUp = "x-up"
    case xDown = "x-down"
    case yUp = "y-up"
    case yDown = "y-down"
    case zUp = "z-up"
    case zDown = "z-down"

    /// The gravity that it feels, in g; nil if it is worn.
    var gravity: Acceleration? {
        switch self {
        case .worn: nil
        case .xUp: Acceleration(x: 1, y: 0, z: 0)
        case .xDown: Acceleration(x: -1, y: 0, z: 0)
        case .yUp: Acceleration(x: 0, y: 1, z: 0)
        case .yDown: Acceleration(x: 0, y: -1, z: 0)
        case .zUp: Acceleration(x: 0, y: 0, z: 1)
        case .zDown: Acceleration(x: 0, y: 0, z: -1)
        }
    }

    func store(in directory: String) throws(FileError) {
        try replaceFile(Self.path(in: directory), with: Array(rawValue.utf8), draft: Self.path(in: directory) + ".new")
    }

    /// Worn if there is no such file, or another word in it.
    static func stored(in directory: String) -> SensorPosition {
        guard let bytes = try? readFile(path(in: directory), limit: 16) else { return .worn }
        return SensorPosition(rawValue: String(decoding: bytes, as: UTF8.self)) ?? .worn
    }

    private static func path(in directory: String) -> String { "\(directory)/position" }
}
