import Recordings
import Signal

/// The true activity of a wearer, in the classifier's terms.
enum EvaluationTruth: Int, CaseIterable, CustomStringConvertible {
    case stationary, walking, running, automotive
    /// Activities outside the four, such as cycling, housework, eating. The right answer is `unknown`.
    case other

    /// The activities that are scored.
    static let four: [EvaluationTruth] = [.stationary, .walking, .running, .automotive]

    /// The right answer of the classifier.
    var answer: Activity {
        switch self {
        case .stationary: .stationary
        case .walking: .walking
        case .running: .running
        case .automotive: .automotive
        case .other: .unknown
        }
    }

    var description: String { self == .other ? "other" : answer.description }
}

/// The meaning of a word in the columns `class` or `label`, for a recording or a sample.
enum EvaluationMeaning: Equatable {
    case activity(EvaluationTruth)
    /// A change between two activities: every answer is accepted.
    case transition
    /// The rows of the recording have labels of their own.
    case perSample
    /// A night of activity counts, without acceleration.
    case counts

    /// Nil for an unknown word. Case, underscores and hyphens are ignored.
    init?(_ word: String) {
        let plain = String(word.lowercased().map { $0 == "_" || $0 == "-" ? " " : $0 })
        guard let meaning = Self.words[plain] else { return nil }
        self = meaning
    }

    /// The meaning of the whole recording from the index: from the common word, or else the publisher's.
    init?(of entry: RecordingEntry) {
        guard let meaning = EvaluationMeaning(entry.activity) ?? EvaluationMeaning(entry.label) else { return nil }
        self = meaning
    }

    var truth: EvaluationTruth? {
        if case .activity(let truth) = self { truth } else { nil }
    }

    /// Whether steps counted in this activity are false.
    var isWithoutSteps: Bool {
        switch self {
        case .activity(let truth): truth != .walking && truth != .running
        case .transition: true
        case .perSample, .counts: false
        }
    }

    private static let words: [String: EvaluationMeaning] = {
        var words: [String: EvaluationMeaning] = ["mixed": .perSample, "per sample": .perSample, "sleep": .counts]
        for (truth, names) in activities {
            for name in names { words[name] = .activity(truth) }
        }
        for name in transitions { words[name] = .transition }
        return words
    }()

    private static let activities: [(EvaluationTruth, [String])] = [
        (
            .stationary,
            [
                "stationary", "seated", "still", "static", "rest", "resting", "sitting", "sit", "standing", "stand",
                "laying",
                "lying", "lie", "desk", "desk or static", "desk work", "reading", "screentime", "screen time",
                "ontable", "on table", "table", "not worn", "notworn",
            ]
        ),
        (
            .walking,
            [
                "walking", "walk", "walking upstairs", "walking downstairs", "stairs", "upstairs", "downstairs",
                "turning", "climb stairs", "descend stairs", "stairs up", "stairs down", "nordic walking", "hiking",
            ]
        ),
        (.running, ["running", "run", "jogging", "jog"]),
        (
            .automotive,
            [
                "automotive", "car", "drive", "driving", "vehicle", "bus", "rail", "train", "tram", "metro", "subway",
                "motorcycle",
            ]
        ),
        (
            .other,
            [
                "other", "cycling", "bicycle", "biking", "bike", "sport", "kicking", "dribbling", "catch", "clapping",
                "housework", "washing up", "dishes", "vacuuming", "sweeping", "ironing", "cleaning", "cooking",
                "brush teeth", "brushing", "teeth", "comb hair", "drink glass", "drinking", "eat meat", "eat soup",
                "eating", "pour water", "use telephone", "phoning", "typing", "writing", "folding", "gesturing",
                "rope jumping", "jumping", "rowing", "elliptical",
            ]
        ),
    ]

    private static let transitions = [
        "standing up", "sitting down",
        "transition", "stand to sit", "sit to stand", "sit to lie", "lie to sit", "stand to lie", "lie to stand",
        "getup bed", "liedown bed", "sitdown chair", "standup chair",
    ]
}
