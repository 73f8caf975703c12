import Commands
import System
import Glibc

/// The files, sent from the process that reads the store to the one that writes them: for each a line with its name and
/// size, and its bytes.
enum ExportStream {
    /// Far more than 90 days of data.
    private static let most = 64 << 20

    static func write(_ files: [ExportFile]) throws(Failure) {
        for file in files {
            let head = Array("\(file.name) \(file.bytes.count)\n".utf8)
            guard writeAll(head + file.bytes, to: STDOUT_FILENO) else {
                throw Failure("standard output: \(describe(errno: errno))", .inputOutput)
            }
        }
    }

    /// Runs this program again, to read the store as its owner.
    static func read(ofChildFor command: ExportCommand) throws(Failure) -> (files: [ExportFile], isWhole: Bool) {
        let words = ["export", "--stream"] + (command.openMHealth ? ["--open-mhealth"] : [])
        let (bytes, end) = try command.config.output(of: words + ["--", command.directory], limit: most)
        guard end == .success || end == .dataError else { throw Failure("nothing was exported", end ?? .software) }
        guard let files = files(in: bytes, withOpenMHealth: command.openMHealth) else {
            throw Failure("the export was cut off", .inputOutput)
        }
        return (files, end == .success)
    }

    /// Nil unless all files are present, in their order.
    static func files(in bytes: [UInt8], withOpenMHealth: Bool = false) -> [ExportFile]? {
        var files: [ExportFile] = []
        var rest = bytes[...]
        for name in ExportContents.parts(withOpenMHealth: withOpenMHealth).map(\.name) + ["manifest.json"] {
            guard let end = rest.firstIndex(of: UInt8(ascii: "\n")) else { return nil }
            let words = String(decoding: rest[..<end], as: UTF8.self).split(separator: " ")
            rest = rest[(end + 1)...]
            guard words.count == 2, words[0] == name, let count = Int(words[1]), 0...rest.count ~= count else {
                return nil
            }
            files.append(ExportFile(name, bytes: Array(rest.prefix(count))))
            rest = rest.dropFirst(count)
        }
        return rest.isEmpty ? files : nil
    }
}
