import Domains
import Foundation
import Core
import Signal
import Testing

@testable import anicca

/// The picture of `anicca watch`.
@Suite struct WatchPictureTests {
    private func lines(_ view: LiveView, isLent: Bool = true) -> [String] {
        WatchPicture(
            view: view, place: "/dev/i2c-1, MPU-6050 at 0x68", time: WallTime(nanoseconds: 0), isLent: isLent
        ).lines
    }

    private var fullView: LiveView {
        var view = LiveView()
        view.permitted = LiveView.Permitted(acceleration: true, steps: true, location: true)
        view.on = [.motion]
        view.acceleration = Acceleration(x: -0.0124, y: 0.5, z: 0.8651)
        view.judgement = Judgement(.walking, .high)
        view.cadence = 112.4
        view.steps = 1234
        view.pulses = 1300
        view.interrupts = 3
        view.receiver = .fix(metres: 4.6, speed: 1.2)
        return view
    }

    @Test func itShowsEverythingAndFitsATerminal() {
        let lines = lines(fullView)
        #expect(lines.count <= 24)
        #expect(lines.allSatisfy { $0.count <= 80 })
        for text in [
            "-0.012 g", "0.500 g", "0.999 g", "walking, confidence high", "112 steps a minute", "1234 since the start",
            "1300", "fix, good to 5 m, 4 km/h", "aniccad has lent its sensor",
        ] {
            #expect(lines.contains { $0.contains(text) }, "\(text)")
        }
    }

    @Test func theLongestFaultIsWrapped() {
        var view = fullView
        view.fault = String(repeating: "the chip says something that takes long to tell; ", count: 5)
        view.receiver = .away(String(repeating: "x", count: 200))
        let lines = lines(view)
        #expect(lines.allSatisfy { $0.count <= 80 })
        #expect(lines.joined(separator: " ").contains("takes long to tell"))
    }

    @Test func aControlCharacterOfAnotherProgramIsEscaped() {
        var view = LiveView()
        view.fault = "\u{1B}[2J"
        #expect(!lines(view).joined().contains("\u{1B}"))
    }

    @Test func withoutConsentNoFigureIsShown() {
        var view = LiveView()
        view.on = []
        let text = lines(view, isLent: false).joined(separator: "\n")
        #expect(text.contains("The accelerometer is not read") && text.contains("aniccad does not run"))
        #expect(!text.contains(" g ") && !text.contains("steps a minute"))
    }

    private static let bars: [(value: Float, end: String)] = [
        (0, "|"), (2, "="), (2.1, ">"), (-2, "="), (-9, "<"), (.nan, "|"), (.infinity, ">"),
    ]

    @Test func barsStayWithinTheirFrame() {
        for (value, end) in Self.bars {
            let bar = WatchPicture.bar(of: value)
            #expect(bar.count == 59 && bar.first == "[" && bar.last == "]")
            #expect(bar.contains(end), "\(value): \(bar)")
        }
        #expect(WatchPicture.bar(of: 1).filter { $0 == "=" }.count == 14)
    }

    @Test func everyLineForProgramsIsAsItsSchemaHasIt() throws {
        var failing = fullView
        failing.fault = "gone"
        failing.receiver = .away("gone")
        var searching = LiveView()
        searching.receiver = .searching
        for view in [fullView, failing, searching, LiveView()] {
            let line = view.json(at: WallTime(nanoseconds: 0)).description
            let value = try JSONSerialization.jsonObject(with: Data(line.utf8))
            #expect(try JSONSchema("watch").faults(of: value) == [], "\(line)")
        }
    }

    @Test func programsGetAMemberForWhatIsKnown() {
        let full = fullView.json(at: WallTime(nanoseconds: 0)).description
        for member in [
            #""x":-0.012"#, #""length":0.999"#, #""activity":"walking""#, #""confidence":"high""#, #""cadence":112.0"#,
            #""steps":1234"#, #""pulses":1300"#, #""interrupts":3"#, #""motion":true"#, #""errorMetres":4.6"#,
        ] {
            #expect(full.contains(member), "\(member) in \(full)")
        }
        let none = LiveView().json(at: WallTime(nanoseconds: 0)).description
        for member in ["acceleration", "activity", "cadence", "pulses", "interrupts", "receiver", "fault"] {
            #expect(!none.contains(member))
        }
        #expect(none.hasSuffix("}}"), "the toggles are the last that it has: there are no steps")
    }
}
