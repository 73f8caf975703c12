import Core
import Recordings
import Signal

/// A recording that is read once for two followers, each at its own pace.
///
/// Holds the samples that one follower has taken and the other has not. A fault of the file ends it for both.
public final class SharedRecording {
    public typealias Sample = (time: Interval, acceleration: Acceleration)

    /// The followers of a recording.
    public enum Follower: Int, CaseIterable, Sendable { case days, nights }

    /// The number of rows read.
    public private(set) var samples = 0
    /// The number of gaps longer than a window, and the recorded time without them.
    public private(set) var gaps = (count: 0, time: Interval.zero)
    public private(set) var length = Interval.zero
    /// The fault that ended it; nil for none.
    public private(set) var fault: RecordingError?
    /// Whether the last row was cut off and left out.
    public var isCutOff: Bool { reader.isCutOff }

    /// The rows of one read.
    private static let readAtOnce = 64

    private let reader: RecordingReader
    private var isRead = false
    private var last: Interval?
    private var queues = [[Sample]](repeating: [], count: Follower.allCases.count)

    public init(_ reader: RecordingReader) { self.reader = reader }

    /// Whether there is a gap between two consecutive samples: the recording continues in another part.
    public static func isGap(_ step: Interval) -> Bool { step > Window.duration }

    /// The number of samples that wait for a follower.
    public func waiting(for follower: Follower) -> Int { queues[follower.rawValue].count }

    /// Takes a follower's next samples that meet a condition; none at the end, or if the next does not meet it.
    public func take(for follower: Follower, while condition: (Sample) -> Bool = { _ in true }) -> [Sample] {
        guard !isOver(for: follower) else { return [] }
        let waiting = queues[follower.rawValue]
        let end = waiting.firstIndex { !condition($0) } ?? waiting.endIndex
        queues[follower.rawValue] = Array(waiting[end...])
        return Array(waiting[..<end])
    }

    /// Whether no sample waits for a follower, and none will come.
    public func isOver(for follower: Follower) -> Bool {
        if queues[follower.rawValue].isEmpty { readOn() }
        return queues[follower.rawValue].isEmpty
    }

    private func readOn() {
        var read: [Sample] = []
        read.reserveCapacity(Self.readAtOnce)
        do throws(RecordingError) {
            while !isRead, read.count < Self.readAtOnce {
                if let sample = try reader.next() {
                    read.append((sample.time, sample.acceleration))
                } else {
                    isRead = true
                }
            }
        } catch {
            fault = error
            isRead = true
        }
        for sample in read { note(sample.time) }
        for index in queues.indices { queues[index] += read }
    }

    private func note(_ time: Interval) {
        samples += 1
        defer { last = time }
        guard let step = last.map({ time - $0 }) else { return }
        if Self.isGap(step) {
            gaps = (gaps.count + 1, gaps.time + step)
        } else {
            length += step
        }
    }
}
