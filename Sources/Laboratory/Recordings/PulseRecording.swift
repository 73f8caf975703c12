import Core
import Glibc

/// A recording of two optical pulse signals with acceleration, resampled to 25 Hz, and the true heart rate. Holds the
/// whole recording in memory.
///
/// `NAME.csv` or `NAME.csv.gz` has the columns `t_ms`, `ppg1`, `ppg2`, `x_mg`, `y_mg` and `z_mg`, with rows at an even
/// rate above 25 Hz. `NAME.bpm.csv` beside it has `from_ms`, `to_ms` and `bpm`.
public struct PulseRecording: Sendable {
    /// A time over which the true rate is known.
    public struct Truth: Equatable, Sendable {
        /// In milliseconds of the recording's clock.
        public let from, to: Double
        /// In beats a minute.
        public let rate: Double
    }

    /// The ending of the files with the true rates.
    public static let ending = ".bpm.csv"
    /// From one resampled sample to the next, in milliseconds.
    private static let period = 40.0

    /// Of the first row, in milliseconds.
    public private(set) var start = 0.0
    /// The two signals at 25 Hz, in the recording's counts.
    public private(set) var light: (first: [Float], second: [Float]) = ([], [])
    /// At the same times.
    public private(set) var acceleration: [Acceleration] = []
    /// In the order of the file.
    public let truths: [Truth]

    /// - Throws: the fault of the first bad line of either file.
    public init(folder: String, name: String) throws(RecordingError) {
        let table = access("\(folder)/\(name).csv", F_OK) == 0 ? ".csv" : ".csv.gz"
        let any = -1e9...1e9
        let rows = try Self.rows(
            "\(folder)/\(name)\(table)",
            ["t_ms": any, "ppg1": any, "ppg2": any, "x_mg": any, "y_mg": any, "z_mg": any])
        truths = try Self.rows(
            "\(folder)/\(name)\(Self.ending)", ["from_ms": any, "to_ms": any, "bpm": 20...300]
        ).map { Truth(from: $0[0], to: $0[1], rate: $0[2]) }
        start = rows[0][0]
        let last = rows[rows.count - 1][0]
        var (first, time) = (0, start)
        while time <= last {
            while rows[first][0] < time - LowPass.reach { first += 1 }
            let sample = LowPass.value(of: rows[first...], at: time)
            light.first.append(Float(sample[1]))
            light.second.append(Float(sample[2]))
            acceleration.append(
                Acceleration(x: Float(sample[3]), y: Float(sample[4]), z: Float(sample[5])) * 0.001)
            time = start + Self.period * Double(acceleration.count)
        }
    }

    /// The indices of the samples from a time, in milliseconds; nil if they are not all there.
    public func samples(from time: Double, count: Int) -> Range<Int>? {
        let begin = Int(((time - start) / Self.period).rounded())
        return begin >= 0 && begin + count <= acceleration.count ? begin..<begin + count : nil
    }

    /// Columns of a table by their names and ranges, in the order given; times, which come first, never decrease.
    private static func rows(
        _ path: String, _ named: KeyValuePairs<String, ClosedRange<Double>>
    ) throws(RecordingError) -> [[Double]] {
        let lines = try TextLines(path: path)
        guard try lines.next() else { throw .empty(file: path) }
        let columns = TableColumns(header: lines.line, file: path)
        var places: [Int] = []
        for (name, _) in named { places.append(try columns.required(name)) }
        var rows: [[Double]] = []
        while try lines.next() {
            guard !lines.line.isEmpty else { continue }
            do throws(RowFault) {
                let fields = try columns.row(lines.line)
                var row: [Double] = []
                for ((name, range), place) in zip(named, places) {
                    row.append(try number(fields[place], column: name, within: range))
                }
                if let last = rows.last, row[0] < last[0] { throw .timeGoesBackwards }
                rows.append(row)
            } catch {
                throw .brokenRow(file: path, line: lines.number, error)
            }
        }
        guard !rows.isEmpty else { throw .empty(file: path) }
        return rows
    }
}

/// A low-pass filter against aliases of 25 Hz: a sinc with its cut-off at 8 Hz under a Hamming window of 0.24 s.
private enum LowPass {
    /// To either side, in milliseconds.
    static let reach = 120.0
    /// In periods of a millisecond.
    private static let cutOff = 0.008

    /// The filtered columns at a time. The weights are divided by their sum, so that the ends have no step.
    static func value(of rows: ArraySlice<[Double]>, at time: Double) -> [Double] {
        var sums = [Double](repeating: 0, count: rows.first?.count ?? 0)
        var weights = 0.0
        for row in rows {
            let distance = row[0] - time
            guard distance <= reach else { break }
            let angle = 2 * Double.pi * cutOff * distance
            let sinc = abs(angle) < 1e-9 ? 1 : sin(angle) / angle
            let weight = sinc * (0.54 + 0.46 * cos(Double.pi * distance / reach))
            weights += weight
            for column in sums.indices { sums[column] += weight * row[column] }
        }
        return sums.map { $0 / weights }
    }
}
