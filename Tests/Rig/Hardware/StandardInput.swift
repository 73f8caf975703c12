import Glibc

/// Ends the program when the pipe or socket on its standard input is closed, because its parent is gone.
final class StandardInput: Service {
    private let isWatched: Bool

    init() {
        var status = stat()
        isWatched = fstat(STDIN_FILENO, &status) == 0 && [S_IFIFO, S_IFSOCK].contains(status.st_mode & S_IFMT)
    }

    var descriptors: [Int32] { isWatched ? [STDIN_FILENO] : [] }

    func serve(_ ready: Set<Int32>) {
        var bytes = [UInt8](repeating: 0, count: 256)
        if isWatched, ready.contains(STDIN_FILENO), read(STDIN_FILENO, &bytes, bytes.count) <= 0 { exit(0) }
    }
}
