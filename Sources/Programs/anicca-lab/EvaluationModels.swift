import Commands
import Recordings
import Signal

/// The models for evaluating recordings: the device's own, or for each recording one that has not seen its wearer.
struct EvaluationModels {
    private let table: ModelTable?
    /// Each model of the table once, by its name.
    private var models: [String: ActivityModel] = [:]

    /// Reads all models in the table, so that a faulty one is reported before the long work.
    ///
    /// - Parameter table: a file with the columns recording and model; nil for the device's own model.
    init(table path: String?) throws(Failure) {
        table = try path.map(Self.read)
        guard let table else { return }
        for name in Set(table.models.values).sorted() {
            models[name] = try ActivityModel(file: "\(table.folder)/\(name)")
        }
    }

    private static func read(_ path: String) throws(Failure) -> ModelTable {
        do {
            return try ModelTable(path: path)
        } catch {
            throw Failure(error)
        }
    }

    /// The model for the recording; nil if the table names none.
    func model(for entry: RecordingEntry) -> ActivityModel? {
        guard let table else { return .standard }
        return table.models[entry.name].flatMap { models[$0] }
    }

    /// - Parameter names: the recordings without a model; at least one.
    func complaint(about names: [String]) -> String {
        let path = table?.path ?? ""
        if names.count == 1 {
            return "\(path): no row for \(names[0]); it is left out; add a row or train with this folder"
        }
        return "\(path): no row for \(names.count) recordings (\(firstFew(names))); they are left out; "
            + "add rows or train with this folder"
    }
}
