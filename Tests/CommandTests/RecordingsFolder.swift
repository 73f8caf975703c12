import Foundation

/// A folder of recordings for `anicca-lab evaluate`. Removed with the object.
final class RecordingsFolder {
    static let header = "split,rec,dataset,subject,position,label,class,fs,samples,duration_s,true_steps,truth_kind"

    let url = FileManager.default.temporaryDirectory.appendingPathComponent("evaluate-\(UUID())")
    var path: String { url.path }

    init() throws { try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true) }

    deinit { try? FileManager.default.removeItem(at: url) }

    func write(_ name: String, _ text: String) throws {
        let file = url.appendingPathComponent(name)
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: file)
    }

    func index(_ rows: String...) throws {
        try write("index.csv", ([Self.header] + rows).joined(separator: "\n") + "\n")
    }

    /// A row of the index.
    static func row(
        _ name: String, _ activity: String, dataset: String = "made", label: String = "",
        position: String = "waist", steps: Int? = nil
    ) -> String {
        "test,\(name),\(dataset),s1,\(position),\(label),\(activity),50,1,1,\(steps.map(String.init) ?? ""),"
    }
}
