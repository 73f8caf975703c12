import Commands
import Recordings
import Signal

/// Evaluates the recordings of a folder on all cores, and reports on standard error those that cannot be evaluated.
/// Reports and figures are in the order of the index.
struct Evaluation {
    private let index: RecordingIndex
    private let models: EvaluationModels
    private var progress: EvaluationProgress
    /// The unknown words that were reported.
    private var unknownWords = Set<String>()
    private(set) var recordings: [EvaluatedRecording] = []

    /// - Parameter index: its nights of counts are skipped.
    init(_ index: RecordingIndex, by models: EvaluationModels) {
        self.index = index
        self.models = models
        progress = EvaluationProgress(total: index.entries.count)
    }

    mutating func run() {
        for row in index.repeats { progress.note("\(row)") }
        for fault in index.faults { progress.complain("\(fault)") }
        let entries = index.entries.filter { EvaluationMeaning(of: $0) != .counts }
        let strangers = entries.filter { models.model(for: $0) == nil }.map(\.name)
        if !strangers.isEmpty { progress.complain(models.complaint(about: strangers)) }
        let outcomes = OrderedResults(entries.count) { [index, models] number in
            models.model(for: entries[number]).map { Self.outcome(of: entries[number], by: $0, of: index) }
        }
        for entry in entries {
            progress.advance()
            if let outcome = outcomes.next() ?? nil { add(outcome, of: entry) }
        }
        let tooShort = recordings.filter { $0.windows == 0 }.map(\.entry.name)
        if !tooShort.isEmpty {
            progress.note(
                "\(index.folder): not one window of 5.12 s without a gap in \(counted(tooShort.count, "recording")) "
                    + "(\(firstFew(tooShort))): too short to be judged")
        }
        progress.finish()
    }

    private static func outcome(
        of entry: RecordingEntry, by model: ActivityModel, of index: RecordingIndex
    ) -> Result<EvaluationRun.Outcome, RecordingError> {
        do throws(RecordingError) {
            return .success(try EvaluationRun.run(entry, EvaluationMeaning(of: entry), by: model, of: index))
        } catch {
            return .failure(error)
        }
    }

    private mutating func add(_ outcome: Result<EvaluationRun.Outcome, RecordingError>, of entry: RecordingEntry) {
        if EvaluationMeaning(of: entry) == nil {
            complain(about: "class \"\(entry.activity)\"", at: "\(index.folder)/index.csv:\(entry.line)")
        }
        switch outcome {
        case .success(let outcome):
            for (label, line) in outcome.unknownLabels {
                complain(about: "label \"\(label)\"", at: "\(outcome.path):\(line)")
            }
            recordings.append(outcome.recording)
        case .failure(let error): progress.complain("\(error)")
        }
    }

    /// Reports an unknown word, each word once.
    private mutating func complain(about word: String, at place: String) {
        guard unknownWords.insert(word).inserted else { return }
        progress.complain(
            "\(place): \(word) is not known; its windows are left out; use a name of anicca-lab evaluate --help")
    }

    /// The reason why not all recordings could be evaluated; nil if all could.
    var shortfall: String? {
        if recordings.isEmpty { return "no recording could be evaluated: \(emptiness)" }
        if progress.complaints > 0 { return "not all could be evaluated; see the messages above" }
        if recordings.allSatisfy({ $0.windows == 0 }) { return "no recording is long enough to be judged" }
        if recordings.allSatisfy({ $0.matrix.windows == 0 }) {
            return "no window has a known truth: all are of transitions, or have no label or two"
        }
        return nil
    }

    private var emptiness: String {
        if progress.complaints > 0 { return "see the messages above" }
        return index.entries.isEmpty ? "index.csv names none" : "index.csv names only nights of counts (class sleep)"
    }
}
