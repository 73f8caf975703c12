import Commands
import Glibc
import Core
import Simulation

/// Writes nights for `Training/sleep_nights.py`, which compares the edges of the time in bed with the reference rule.
struct NightFiles {
    private let directory: String
    private var rows = ["night,seed,bed_s,up_s,start_s,end_s,asleep_min,true_asleep_min"]

    /// The directory is made if it is missing.
    init(_ directory: String) throws(Failure) {
        self.directory = directory
        guard mkdir(directory, 0o755) == 0 || errno == EEXIST else {
            throw Failure("\(directory): \(String(cString: strerror(errno)))", .cannotCreate)
        }
    }

    mutating func add(_ plan: NightPlan, _ trial: NightTrial) throws(Failure) {
        let name = "night-\(rows.count)"
        let found = trial.main
        let fields: [String] = [
            name, "\(plan.seed)", "\(plan.bed.inSeconds)", "\(plan.up.inSeconds)",
            found.map { "\(NightTrial.time($0.start).inSeconds)" } ?? "",
            found.map { "\(NightTrial.time($0.end).inSeconds)" } ?? "",
            found.map { "\($0.length.inMinutes)" } ?? "", "\(plan.asleepTime.inMinutes)",
        ]
        rows.append(fields.joined(separator: ","))
        var bytes: [UInt8] = []
        for mean in NightTrial.meansOfFiveSeconds(plan) {
            for axis in [mean.x, mean.y, mean.z] {
                let number = UInt16(bitPattern: Int16((axis * 4000).rounded()))
                bytes += [UInt8(truncatingIfNeeded: number), UInt8(truncatingIfNeeded: number >> 8)]
            }
        }
        try write(bytes, to: "\(directory)/\(name).bin")
    }

    func finish() throws(Failure) {
        try write(Array((rows.joined(separator: "\n") + "\n").utf8), to: directory + "/nights.csv")
    }

    private func write(_ bytes: [UInt8], to path: String) throws(Failure) {
        guard let file = fopen(path, "w") else {
            throw Failure("\(path): \(String(cString: strerror(errno)))", .cannotCreate)
        }
        let isWritten = fwrite(bytes, 1, bytes.count, file) == bytes.count
        guard fclose(file) == 0, isWritten else {
            throw Failure("\(path): \(String(cString: strerror(errno)))", .inputOutput)
        }
    }
}
