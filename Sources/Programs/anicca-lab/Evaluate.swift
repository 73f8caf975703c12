import ArgumentParser
import Commands
import System
import Glibc
import Recordings

/// `anicca-lab evaluate`
struct Evaluate: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Compare classification and step counts with labelled recordings.",
        discussion: """
            Classifies every window of every recording of a folder, as replay --continuous does, and counts its steps; \
            also the pulses of a plain threshold, and those credited by the session. Prints the results of the \
            windows, the accuracy by confidence, and the errors of the steps. The first line is a summary. If the \
            model was trained on the data set, a message says so.

            A folder of files of anicca record needs nothing more. Any other has an index.csv with the columns rec, dataset and class, and where known subject, position, label \
            and true_steps, in any order (others are ignored), and for each of its rows <dataset>/<rec>.csv.gz or .csv: t_ms,x_mg,y_mg,z_mg \
            (milliseconds, thousandths of g with gravity), with a label per row where they differ; at least 5.12 s of it. <rec>.steps.csv (t_ms,foot) stands in for true_steps. Classes are \
            stationary, walking, stairs (walking), running, automotive, rail (automotive), cycling and other (for both \
            unknown is right), transition (no answer is wrong), mixed (each row has a label) and sleep (left out). \
            Labels may be those too, or what common data sets call them, such as sitting or jogging. Windows between two \
            labels have no truth.

            With --held-out every recording is judged by the model that a table names for it, with the columns recording \
            and model: those that the training writes beside models that have not seen a data set, or some of the people.

            Examples:
              anicca-lab evaluate recordings
              anicca-lab evaluate --held-out by-dataset.csv recordings
              anicca-lab evaluate --json recordings | jq 'select(.kind == "dataset")'

            With --json, every line is an object of one of these kinds, in this order; shares and errors are 0 to 1:
              recording: one for each: windows by truth and answer, steps and pulses counted, hours
              window-matrix: one for each truth: windows by answer
              recall: one for each activity: recall, precision, f1, recordings, majorityRight
              dataset: recall by truth, macroF1, stationaryWalking (balanced accuracy), high confidence
              position: the same by where the sensor was worn
              spread: a figure over the data sets: lowest, median, highest
              calibration: over the four activities and over all windows: share and right by confidence
              notWorn: one for each truth: windows classified as not worn
              steps: one for each recording of steps: true, counted, credited pulses, signed errors
              stepErrors: by data set: mean absolute, mean signed and worst error, total (of all steps taken together); \
            where the time of each step is known, byBout (mean absolute, by bouts of five steps and more) and precision, \
            recall and f1 of step times within 0.3 s
              falseSteps: by data set and class without steps: beyond the true ones, and per hour
              summary: the whole: recordings, hours, windows with a truth, unscored (those without), macroF1, \
            macroF1AmongAll, meanRecall, stationaryWalking, restAgainstFoot, notTakenForOneAnother, and of the class \
            other otherUnknown (right) and otherStationary

            Exit status: 65 when anything could not be read, is in other units than it promises, has a class or label that \
            is not known, or no row in the table of models (it is left out, and the rest evaluated), or when there is \
            nothing to judge, or the table or a model is broken; 66 when there is no index, or a table or a model is \
            missing.
            """)

    @Argument(help: ArgumentHelp("The folder with the recordings.", valueName: "folder"))
    var folder: String

    @Option(
        help: ArgumentHelp(
            "Judge each recording by the model that this table names, instead of by the device's own.",
            valueName: "table"))
    var heldOut: String?

    @OptionGroup var output: OutputOptions

    func run() throws {
        var evaluation = Evaluation(try readIndex(), by: try EvaluationModels(table: heldOut))
        evaluation.run()
        if !evaluation.recordings.isEmpty {
            let report = EvaluationReport(evaluation.recordings)
            if heldOut == nil, !report.learntFrom.isEmpty {
                tell(
                    "\(folder): the model was trained on \(report.learntFrom.joined(separator: ", ")): it is less "
                        + "accurate on other people; --held-out uses models that were not trained on them")
            }
            show(report)
        }
        if let shortfall = evaluation.shortfall { throw Failure("\(folder): \(shortfall)", .dataError) }
    }

    private func readIndex() throws(Failure) -> RecordingIndex {
        do {
            return try RecordingIndex(folder: folder)
        } catch {
            throw Failure(error)
        }
    }

    private func show(_ report: EvaluationReport) {
        if output.json {
            for object in report.json { print(object) }
        } else {
            printLines(report.lines)
        }
    }
}
