import Commands
import System
import Glibc

/// The place for a caller's output: a name in a directory that stays open, so that moving the directory does not change
/// the place. Use it within `asCaller`.
final class OutputPlace {
    let path: String
    let name: String
    let folder: Int32

    /// Throws if the path has no last name, or the directory does not exist.
    ///
    /// - Parameter example: a suggestion for the error.
    init(_ path: String, example: String) throws(Failure) {
        self.path = path
        let start = path.lastIndex(of: "/").map(path.index(after:)) ?? path.startIndex
        name = String(path[start...])
        guard !["", ".", ".."].contains(name) else { throw Failure("\(path): name \(example)", .cannotCreate) }
        let parent = start == path.startIndex ? "." : String(path[..<start])
        folder = open(parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else { throw failureToMake("\(parent): cannot be opened; create it first") }
    }

    deinit { close(folder) }

    /// The kind of an existing file, from stat(2); nil if there is none. A symbolic link is not followed.
    var kind: mode_t? {
        var status = stat()
        return fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) == 0 ? status.st_mode & S_IFMT : nil
    }
}

/// Creates a file that only its owner can read. Throws if it exists.
///
/// - Parameter path: its name for people.
func makePrivateFile(_ name: String, in folder: Int32, _ bytes: [UInt8], path: String) throws(Failure) {
    errno = makeFile(name, in: folder, bytes)
    guard errno == 0 else { throw failureToMake("\(path): cannot be made") }
}

/// With the reason from `errno`.
func failureToMake(_ text: String) -> Failure { Failure("\(text): \(describe(errno: errno))", .cannotCreate) }
