import Config
import Foundation
import Devices
import Testing

@testable import Sensing

/// The effects of nodes and of the devices behind them. Files stand for nodes; their modes are real.
@Suite struct NodeTests {
    private let scratch: Scratch
    init() throws { scratch = try Scratch() }

    enum Kind: CaseIterable {
        case bus, stepLine, alarmLine, inbox

        func handler(_ path: String) -> any PermissionHandler {
            let settings = settings {
                $0.imu.bus = path
                $0.pulseLine.chip = path
                $0.pulseLine.line = 17
                $0.alarm.chip = path
                $0.alarm.line = 18
                $0.companion.inbox = path
            }
            switch self {
            case .bus: return ChipHandler(.sleep, settings.imu)
            case .stepLine: return LineHandler(.steps, input: settings.pulseLine)
            case .alarmLine: return LineHandler(.alarm, output: settings.alarm)
            case .inbox: return InboxHandler(.screenTime, settings.companion)
            }
        }
    }

    @Test(arguments: Kind.allCases)
    func missingNodeIsAbsent(kind: Kind) {
        let handler = kind.handler(scratch.path("missing"))
        for status in [handler.currentStatus, handler.requestAccess()] {
            guard case .blocked(.absent, let reason) = status else { Issue.record("\(status)"); continue }
            #expect(reason.contains(scratch.path("missing")))
        }
        #expect(handler.nodes == [scratch.path("missing")])
    }

    @Test(arguments: Kind.allCases)
    func nodeBelowAFileIsAbsent(kind: Kind) throws {
        let handler = kind.handler(try scratch.file("file") + "/node")
        let status = handler.currentStatus
        guard case .blocked(.absent, _) = status else { Issue.record("\(status)"); return }
    }

    @Test(arguments: [Kind.bus, .stepLine, .alarmLine])
    func forbiddenNodeIsRefused(kind: Kind) throws {
        let handler = kind.handler(try scratch.file("node", mode: 0o000))
        let statuses = try withoutRootPrivileges { [handler.currentStatus, handler.requestAccess()] }
        for status in statuses {
            guard case .blocked(.refused, let reason) = status else { Issue.record("\(status)"); continue }
            #expect(reason.contains("permission denied"))
        }
    }

    @Test(arguments: Kind.allCases)
    func nodeInAForbiddenFolderIsRefused(kind: Kind) throws {
        let handler = kind.handler(try scratch.folder("folder", mode: 0o700) + "/node")
        let status = try withoutRootPrivileges { handler.currentStatus }
        guard case .blocked(.refused, _) = status else { Issue.record("\(status)"); return }
    }

    @Test func changedModeIsSeenByTheNodeAlone() throws {
        let handler = Kind.bus.handler(try scratch.file("node"))
        #expect(try withoutRootPrivileges { handler.currentStatus } == .ready)
        try scratch.setMode(0o600, of: "node")
        guard case .blocked(.refused, _) = try withoutRootPrivileges({ handler.currentStatus }) else {
            Issue.record("the mode is not noticed")
            return
        }
    }

    @Test(arguments: [Kind.bus, .stepLine, .alarmLine])
    func fileOfAnotherKindIsNotTheDevice(kind: Kind) throws {
        let handler = kind.handler(try scratch.file("file"))
        guard case .blocked(.absent, let reason) = handler.requestAccess() else {
            Issue.record("\(handler.requestAccess())")
            return
        }
        #expect(reason.contains("not an I2C bus") || reason.contains("no such GPIO line"))
    }

    @Test func lineThatIsNotSetSaysWhichKeyToSet() {
        for handler in [
            LineHandler(.steps, input: Settings().pulseLine), LineHandler(.alarm, output: Settings().alarm),
        ] {
            #expect(handler.nodes.isEmpty)
            #expect(
                handler.requestAccess()
                    == .blocked(.absent, reason: "[\(handler.domain)] line is not set in the config"))
            #expect(handler.hintWhenAbsent.contains("set line in [\(handler.domain)]"))
        }
    }

    @Test func lineThatWeHoldIsReadyAndAnyOtherHolderIsNamed() throws {
        let handler = LineHandler(.alarm, output: settings { $0.alarm.line = 18 }.alarm)
        #expect(try handler.status(of: 18, heldBy: nil) == .ready)
        #expect(try handler.status(of: 18, heldBy: "anicca") == .ready)
        #expect(
            try handler.status(of: 18, heldBy: "fan\u{1B}")
                == .failing(reason: #"/dev/gpiochip0 line 18: held by "fan\u{1B}""#))
        #expect(
            try handler.status(of: 18, heldBy: "")
                == .failing(reason: "/dev/gpiochip0 line 18: held by a kernel driver"))
    }

    @Test func inboxMustBeADirectory() throws {
        let path = try scratch.file("file")
        #expect(Kind.inbox.handler(path).requestAccess() == .blocked(.absent, reason: "\(path): not a directory"))
    }

    /// Listing needs r, opening and removing need w and x.
    @Test(arguments: [0o777, 0o555, 0o666, 0o333])
    func inboxMustBeOursToReadAndToEmpty(mode: Int) throws {
        let handler = Kind.inbox.handler(try scratch.folder("inbox", mode: mode))
        let status = try withoutRootPrivileges { handler.requestAccess() }
        if mode == 0o777 {
            #expect(status == .ready)
        } else if case .blocked(.refused, _) = status {
        } else {
            Issue.record("mode \(String(mode, radix: 8)): \(status)")
        }
    }
}
