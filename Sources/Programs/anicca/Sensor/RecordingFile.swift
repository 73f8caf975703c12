import Commands
import System
import Glibc
import Devices
import Core

/// A recording being written, in the format of `anicca-lab`: a line with metadata, then a row for each sample,
/// `t_ms,x_mg,y_mg,z_mg,label`.
///
/// The file belongs to the caller, readable by nobody else. It is written as the samples arrive, so a killed process
/// leaves the samples so far.
final class RecordingFile {
    private let place: OutputPlace
    private var path: String { place.path }
    private let label: String
    private let descriptor: Int32
    private var begun: BootTime?
    private var latest: BootTime?
    private(set) var samples = 0
    /// The position of the step count, and the room for it.
    private var stepsAt = off_t(0)
    private static let stepsRoom = 7

    /// Makes the file. Throws if it exists already; an empty file, left by an attempt without a sensor, is reused.
    init(_ path: String, label: String) throws(Failure) {
        place = try OutputPlace(path, example: "a file, such as walk.csv")
        self.label = label
        let flags = O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC
        let made = openat(place.folder, place.name, flags | O_CREAT | O_EXCL, 0o600)
        descriptor = made < 0 && errno == EEXIST ? openat(place.folder, place.name, flags) : made
        guard descriptor >= 0 else { throw failureToMake("\(path): cannot be made") }
        guard made >= 0 || isEmptyAndPrivate(descriptor) else {
            throw Failure("\(path): exists already; choose another file", .cannotCreate)
        }
        guard fchmod(descriptor, 0o600) == 0 else { throw failureToMake("\(path): its mode cannot be set") }
    }

    deinit { close(descriptor) }

    /// Removes the file, if this process still has the rights.
    func remove() { unlinkat(place.folder, place.name, 0) }

    /// Writes the first lines.
    ///
    /// - Parameter place: the sensor: `/dev/i2c-1, MPU-6050 at 0x68`.
    func begin(from place: String, at time: WallTime) throws(Failure) {
        let head = "# anicca recording; label=\(label); steps="
        stepsAt = off_t(head.utf8.count)
        let room = String(repeating: " ", count: Self.stepsRoom)
        try write("\(head)\(room); begun=\(time); sensor=\(place)\nt_ms,x_mg,y_mg,z_mg,label\n")
    }

    /// Adds consecutive samples of the chip, the last taken at `end`. Their times are spread evenly since the previous
    /// ones, so an inaccurate oscillator of the chip does not matter.
    ///
    /// - Parameter period: the chip's nominal period, used before the first sample.
    func add(_ drained: [Acceleration], period: Interval, until end: BootTime) throws(Failure) {
        guard !drained.isEmpty else { return }
        let before = latest ?? end - period * Int64(drained.count)
        let begun = begun ?? before
        self.begun = begun
        let step = Double((end - before).nanoseconds) / Double(drained.count)
        var text = ""
        for (index, sample) in drained.enumerated() {
            let time = Double((before - begun).nanoseconds) + step * Double(index)
            text += "\(tenths(time / 1e6)),\(tenths(sample.x)),\(tenths(sample.y)),\(tenths(sample.z)),\(label)\n"
        }
        latest = end
        samples += drained.count
        try write(text)
    }

    /// Skips a time in which samples were lost: the next ones begin after it.
    func skip(until time: BootTime) { latest = latest.map { max($0, time) } }

    /// Writes the number of steps taken.
    func put(steps: Int) throws(Failure) {
        let digits = Array(String(steps).utf8.prefix(Self.stepsRoom))
        guard pwrite(descriptor, digits, digits.count, stepsAt) == digits.count else { throw failure() }
    }

    /// Syncs it to the disk.
    func finish() throws(Failure) {
        guard fsync(descriptor) == 0 else { throw failure() }
    }

    /// Its present length.
    var length: Interval { begun.flatMap { begun in latest.map { $0 - begun } } ?? .zero }

    /// Of a value in milliseconds.
    private func tenths(_ value: Double) -> String { decimal(Int64((value * 10).rounded()), digits: 1) }
    /// Of a value in thousandths of g.
    private func tenths(_ value: Float) -> String {
        decimal(value.isFinite ? Int64((Double(value) * 10_000).rounded()) : 0, digits: 1)
    }

    private func write(_ text: String) throws(Failure) {
        guard writeAll(Array(text.utf8), to: descriptor) else { throw failure() }
    }

    private func failure() -> Failure {
        Failure(
            "\(path): cannot be written: \(describe(errno: errno)); the earlier samples are in the file", .inputOutput)
    }
}

/// Whether it is an empty file of the caller's that no other process can have open.
private func isEmptyAndPrivate(_ descriptor: Int32) -> Bool {
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return false }
    return status.st_size == 0 && status.st_nlink == 1 && status.st_mode & 0o077 == 0
        && status.st_uid == geteuid()
}
