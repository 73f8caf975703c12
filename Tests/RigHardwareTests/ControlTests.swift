import CLinux
import CRig
import Foundation
import Glibc
import Testing

@testable import rig_hardware

@Suite struct ControlTests {
    @Test(
        arguments: [
            ("status", .status), ("power", .power), ("nak 3", .nak(3)), ("nak 2 5\n", .nak(2, after: 5)),
            ("gone 1", .gone(true)), ("gone 0", .gone(false)), ("stuck 1", .stuck(true)), ("stuck 0", .stuck(false)),
            ("identity 0x98", .identity(0x98)), ("chip lis3dh", .chip("lis3dh")), ("identity 104", .identity(104)),
            ("  motion   table ", .motion(.table)),
        ] as [(String, ControlCommand)])
    func aCommandIsUnderstood(line: String, command: ControlCommand) { #expect(ControlCommand(line) == command) }

    @Test(arguments: [
        "", " ", "nak", "nak 0", "nak -1", "nak 1 -1", "nak x", "nak 1 2 3", "gone", "gone 2", "stuck yes",
        "identity 0x100", "identity 256", "identity", "motion flying", "chip dodo", "motion", "status 1", "explode",
    ])
    func anythingElseIsNot(line: String) { #expect(ControlCommand(line) == nil) }

    @Test func theAdapterTellsHowThingsAre() {
        let adapter = SimulatedAdapter(moving: .still, timeout: .zero)
        #expect(adapter.obey(.status) == "motion=still fault=none transfers=0 failures=0 bytes=0")
        #expect(adapter.obey(.nak(2, after: 1)).contains("fault=nak:2:1 "))
        #expect(adapter.obey(.gone(true)).contains("fault=gone "))
        #expect(adapter.obey(.stuck(true)).contains("fault=stuck "))
        #expect(adapter.obey(.stuck(false)).contains("fault=none "))
        #expect(adapter.obey(.motion(.table)).contains("motion=table "))
    }

    @Test func aChipThatLostItsPowerIsAsleepAgain() throws {
        let program = try CallingProgram()
        #expect(try program.transfer([.write([0x6B, 0x08])]) == .value(1))
        _ = program.adapter.obey(.power)
        #expect(try program.transfer([.write([0x6B]), .read(1)]) == .value(2))
        #expect(program.memory[0x1100] == 0x40)
    }

    @Test func aFalseIdentityStaysUntilItIsPutRight() throws {
        let program = try CallingProgram()
        _ = program.adapter.obey(.identity(0x98))
        _ = program.adapter.obey(.power)
        #expect(try program.transfer([.write([0x75]), .read(1)]) == .value(2))
        #expect(program.memory[0x1100] == 0x98)
    }

    // MARK: The socket

    @Test func callersGetAnAnswerEach() throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: "control-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: directory) }
        let path = directory.appending(path: "desk").path
        var taken: [ControlCommand] = []
        let desk = try ControlDesk(path: path) {
            taken.append($0)
            return "done"
        }
        let callers = try (0..<3).map { _ in try UnixSocket.connect(to: path, kind: SOCK_SEQPACKET) }
        #expect(try ask(callers[0], "nak 2", desk) == "ok done")
        #expect(try ask(callers[2], "gone 1", desk) == "ok done")
        #expect(try ask(callers[1], "explode", desk).hasPrefix("error: "))
        #expect(try ask(callers[0], "gone 0", desk) == "ok done")
        #expect(taken == [.nak(2), .gone(true), .gone(false)])
    }

    @Test func aNewDeskReplacesTheOldOne() throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "desk-\(UUID().uuidString)").path
        defer { unlink(path) }
        _ = try ControlDesk(path: path) { _ in "old" }
        let desk = try ControlDesk(path: path) { _ in "new" }
        let caller = try UnixSocket.connect(to: path, kind: SOCK_SEQPACKET)
        #expect(try ask(caller, "status", desk) == "ok new")
    }

    @Test func aPathThatIsTooLongIsRefused() {
        #expect(throws: HardwareError.self) {
            try UnixSocket.listen(at: "/tmp/" + String(repeating: "x", count: 108), kind: SOCK_STREAM)
        }
    }

    private func ask(_ caller: Descriptor, _ command: String, _ desk: ControlDesk) throws -> String {
        _ = send(caller.number, command, command.utf8.count, 0)
        var answer = [UInt8](repeating: 0, count: 512)
        while true {
            let count = recv(caller.number, &answer, answer.count, Int32(MSG_DONTWAIT))
            if count > 0 { return String(decoding: answer.prefix(count), as: UTF8.self) }
            var states = desk.descriptors.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
            guard poll(&states, nfds_t(states.count), 0) > 0 else { return "nothing" }
            try desk.serve(Set(states.filter { $0.revents != 0 }.map(\.fd)))
        }
    }
}
