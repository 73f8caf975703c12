import Quantities
import Recordings
import Signal

/// A recording that two live through at their own pace, while it is read once.
///
/// Holds what one of them has taken and the other has not. The fault of the file ends it for both.
public final class SharedRecording {
    public typealias Sample = (time: Interval, acceleration: Acceleration)

    /// Those who live through it.
    public enum Follower: Int, CaseIterable, Sendable { case days, nights }

    /// Rows that were read.
    public private(set) var samples = 0
    /// The times in which nothing was recorded for longer than a window, and the recorded time between them.
    public private(set) var gaps = (count: 0, time: Interval.zero)
    public private(set) var length = Interval.zero
    /// The fault that ended it; nil for none.
    public private(set) var fault: RecordingError?
    /// Whether the last row was cut off and left out.
    public var isCutOff: Bool { reader.isCutOff }

    private let reader: RecordingReader
    private var isOver = false
    private var last: Interval?
    private var queues = [SampleQueue](repeating: SampleQueue(), count: Follower.allCases.count)

    public init(_ reader: RecordingReader) { self.reader = reader }

    /// Whether there is a gap between two samples that follow one another: the recording goes on in another part.
    public static func isGap(_ step: Interval) -> Bool { step > Window.duration }

    /// The samples that wait for a follower.
    public func waiting(for follower: Follower) -> Int { queues[follower.rawValue].count }

    /// The next sample of a follower, which stays; nil at the end.
    public func first(for follower: Follower) -> Sample? {
        if queues[follower.rawValue].count == 0 { readOn() }
        return queues[follower.rawValue].first
    }

    /// Takes the next sample of a follower; nil at the end.
    public func next(for follower: Follower) -> Sample? {
        guard let sample = first(for: follower) else { return nil }
        queues[follower.rawValue].removeFirst()
        return sample
    }

    private func readOn() {
        guard !isOver else { return }
        do throws(RecordingError) {
            guard let sample = try reader.next() else {
                isOver = true
                return
            }
            note(sample.time)
            for index in queues.indices { queues[index].append((sample.time, sample.acceleration)) }
        } catch {
            fault = error
            isOver = true
        }
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

/// A queue in an array, from which what was taken is removed now and then.
private struct SampleQueue {
    private static let removedAtOnce = 2048
    private var samples: [SharedRecording.Sample] = []
    private var taken = 0

    var count: Int { samples.count - taken }
    var first: SharedRecording.Sample? { count > 0 ? samples[taken] : nil }

    mutating func append(_ sample: SharedRecording.Sample) { samples.append(sample) }

    mutating func removeFirst() {
        taken += 1
        if count == 0 {
            samples.removeAll(keepingCapacity: true)
            taken = 0
        } else if taken >= Self.removedAtOnce {
            samples.removeFirst(taken)
            taken = 0
        }
    }
}
