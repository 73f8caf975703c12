import Commands
import System
import Glibc

/// Where a command makes something for its caller: a name in a directory that stays open, so that nobody who moves a directory moves the
/// place. To be used within `asCaller`.
final class OutputPlace {
    let path: String
    let name: String
    let folder: Int32

    /// Throws where the path ends with no name, or there is no such directory.
    ///
    /// - Parameter example: what to name instead.
    init(_ path: String, example: String) throws(Failure) {
        self.path = path
        let start = path.lastIndex(of: "/").map(path.index(after:)) ?? path.startIndex
        name = String(path[start...])
        guard !["", ".", ".."].contains(name) else { throw Failure("\(path): name \(example)", .cannotCreate) }
        let parent = start == path.startIndex ? "." : String(path[..<start])
        folder = open(parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else { throw failureToMake("\(parent): cannot be opened; make it first") }
    }

    deinit { close(folder) }

    /// The kind of what is there, as of stat(2); nil where nothing is. A symbolic link is not followed.
    var kind: mode_t? {
        var status = stat()
        return fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) == 0 ? status.st_mode & S_IFMT : nil
    }
}

/// Makes a file that only its owner can read. Throws where one is there.
///
/// - Parameter path: its name for people.
func makePrivateFile(_ name: String, in folder: Int32, _ bytes: [UInt8], path: String) throws(Failure) {
    errno = makeFile(name, in: folder, bytes)
    guard errno == 0 else { throw failureToMake("\(path): cannot be made") }
}

/// With the reason in `errno`.
func failureToMake(_ text: String) -> Failure { Failure("\(text): \(describe(errno: errno))", .cannotCreate) }
