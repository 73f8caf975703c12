import Domains
import System
import Testing

@testable import Sensing

/// Steps come from a step sensor where its line is set, else from the IMU.
@Suite struct StepSourceTests {
    private static let bus = "/nonexistent/i2c-1"
    private static let chip = "/nonexistent/gpiochip0"

    private func handlers(line: UInt32?) -> [any PermissionHandler] {
        linuxHandlers(
            settings {
                $0.imu.bus = Self.bus
                $0.pulseLine.chip = Self.chip
                $0.pulseLine.line = line
            })
    }

    private func handler(_ domain: Domain, line: UInt32?) throws -> any PermissionHandler {
        try #require(handlers(line: line).first { $0.domain == domain })
    }

    @Test(arguments: [nil, UInt32(17)])
    func handlersStandInTheOrderOfTheDomainsEitherWay(line: UInt32?) {
        #expect(handlers(line: line).map(\.domain) == Domain.all)
    }

    @Test func aLineThatIsSetIsTheSource() throws {
        let handler = try handler(.steps, line: 17)
        #expect(handler.nodes == [Self.chip])
        #expect(handler.device == "step sensor")
        #expect(handler.requestAccess().reason?.hasPrefix(Self.chip) == true)
        #expect(!handler.settingsHint(for: .unsupported, reason: "gone").contains("IMU"))
    }

    @Test func withoutALineTheIMUIsTheSource() throws {
        let (steps, motion) = (try handler(.steps, line: nil), try handler(.motion, line: nil))
        #expect(steps.nodes == [Self.bus] && steps.nodes == motion.nodes)
        #expect(steps.device == "accelerometer")
        #expect(steps.currentStatus == motion.currentStatus)
        #expect(steps.requestAccess() == .blocked(.absent, reason: "\(Self.bus): there is no such device"))
    }

    @Test(arguments: [PermissionStatus.unsupported, .denied])
    func adviceIsThatOfMotionAndSaysWhyStepsNeedTheIMU(status: PermissionStatus) throws {
        let advice = try handler(.motion, line: nil).settingsHint(for: status, reason: "gone")
        #expect(
            try handler(.steps, line: nil).settingsHint(for: status, reason: "gone")
                == "\(advice); steps are counted from the IMU, because [steps] line is not set")
    }

    @Test func theWearersNoIsNotExplainedWithTheIMU() throws {
        #expect(try !handler(.steps, line: nil).settingsHint(for: .denied, reason: nil).contains("IMU"))
    }
}
