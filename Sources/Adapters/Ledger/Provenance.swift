import Daybook

/// Which part of the device a figure comes from. Raw values are stored; never reuse one.
public enum Source: UInt8, Hashable, Sendable {
    case imu = 1
    case pulses = 2
    case companion = 3
    case gps = 4
    /// Several at once: the state of the sensing session.
    case session = 5
}

/// The span of time of one stored row. Raw values are stored; never reuse one.
enum Granularity: UInt8 {
    case day = 1
    case event = 2
    /// The state at the latest commit.
    case moment = 3
}

/// The columns in clear of every row with a payload (SPEC §9). They are part of the row's `SealedPlace`.
struct Provenance {
    let source: Source
    /// `SampleType.rawValue`; zero where the row is not a single figure.
    let sampleType: UInt8
    let granularity: Granularity
    /// The entry of the consent trail under which it was collected; zero before there is any.
    let consent: Int64
}

extension Provenance {
    static let columnNames = "source, sample_type, granularity, consent"

    /// In the order of `columnNames`.
    var columns: [SQLValue] {
        [.integer(source.rawValue), .integer(sampleType), .integer(granularity.rawValue), .integer(consent)]
    }

    /// Reads four columns from `first` on; nil for a value that no version of this program writes.
    init?(_ row: Row, from first: Int32) {
        guard let source = UInt8(exactly: row.integer(first)).flatMap(Source.init),
            let sampleType = UInt8(exactly: row.integer(first + 1)),
            let granularity = UInt8(exactly: row.integer(first + 2)).flatMap(Granularity.init)
        else { return nil }
        self.init(source: source, sampleType: sampleType, granularity: granularity, consent: row.integer(first + 3))
    }
}

extension ClosedDay {
    /// Where the day's steps came from; of no meaning without any. A step sensor's pulses are kept beside its steps, so
    /// a day on which one was fitted or taken away is a step sensor's.
    public var stepSource: Source { figures.contains { $0.type == .rawPulses } ? .pulses : .imu }

    func provenance(of figure: Figure, consent: Int64) -> Provenance {
        Provenance(
            source: figure.type == .steps ? stepSource : figure.type.usualSource,
            sampleType: figure.type.rawValue, granularity: .day, consent: consent)
    }
}

extension SampleType {
    /// Where the figure comes from, unless it is known better.
    var usualSource: Source {
        switch self {
        case .sleepDuration, .wakeAt, .sedentaryMinutes: .imu
        case .socialMinutes: .companion
        case .steps, .rawPulses: .pulses
        }
    }
}

extension NudgeEvent.Kind {
    var usualSource: Source {
        switch self {
        case .sedentaryLong: .imu
        case .socialThresholdExceeded: .companion
        case .geofenceEntered, .geofenceExited, .visit: .gps
        }
    }
}
