import CRig
import Glibc

/// Takes commands at a Unix socket whose messages keep their bounds (`SOCK_SEQPACKET`): a message is a command, and its
/// answer begins with `ok` or `error`. An answered command has been carried out.
final class ControlDesk: Service {
    private let listener: Descriptor
    private let obey: (ControlCommand) -> String
    private var callers: [Descriptor] = []

    /// A bound above the length of any command.
    private static let longestCommand = 256

    init(path: String, obey: @escaping (ControlCommand) -> String) throws(HardwareError) {
        listener = try UnixSocket.listen(at: path, kind: SOCK_SEQPACKET)
        self.obey = obey
    }

    var descriptors: [Int32] { [listener.number] + callers.map(\.number) }

    func serve(_ ready: Set<Int32>) throws(HardwareError) {
        callers.removeAll { ready.contains($0.number) && !answer($0) }
        if ready.contains(listener.number) { callers.append(try UnixSocket.accept(from: listener)) }
    }

    /// Answers a caller's command; false when the caller has hung up.
    private func answer(_ caller: Descriptor) -> Bool {
        var bytes = [UInt8](repeating: 0, count: Self.longestCommand)
        let count = recv(caller.number, &bytes, bytes.count, 0)
        guard count > 0 else { return false }
        let answer = Array(Self.answer(to: String(decoding: bytes.prefix(count), as: UTF8.self), obey).utf8)
        return send(caller.number, answer, answer.count, Int32(MSG_NOSIGNAL)) == answer.count
    }

    private static func answer(to line: String, _ obey: (ControlCommand) -> String) -> String {
        guard let command = ControlCommand(line) else { return "error: the commands are: \(ControlCommand.usage)" }
        return "ok \(obey(command))"
    }

    /// Sends one command to the desk at `path` and returns the answer.
    static func ask(_ command: String, at path: String) throws(HardwareError) -> String {
        let desk = try UnixSocket.connect(to: path, kind: SOCK_SEQPACKET)
        let bytes = Array(command.utf8)
        guard send(desk.number, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count else {
            throw HardwareError(systemCall: path)
        }
        var answer = [UInt8](repeating: 0, count: 1024)
        let count = recv(desk.number, &answer, answer.count, 0)
        guard count > 0 else { throw HardwareError("\(path): no answer") }
        return String(decoding: answer.prefix(count), as: UTF8.self)
    }
}
