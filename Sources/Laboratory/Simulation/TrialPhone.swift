import Domains
import Devices
import Core

/// The phone of a trial, with a right clock: the use of social apps, and its reports, some of which repeat, overlap or
/// are late.
final class TrialPhone {
    struct Report {
        let used: Range<WallTime>
        /// The time at which it is in the folder.
        let arrives: WallTime
        /// Deleted, or set aside.
        var isGone = false
    }

    /// In order of arrival.
    fileprivate(set) var reports: [Report]
    /// The time of the last signal handled.
    private var heard: WallTime

    init(from start: WallTime, to end: WallTime, seed: UInt64) {
        var chance = TrialChance(seed: seed, stream: 5)
        var reports: [Report] = []
        var time = Self.wholeSecond(start) + .seconds(chance.number(60...20_000))
        while time < end {
            let midnight = UTCDay(containing: time).end
            let length = Interval.seconds(chance.number(30...2_400))
            // Some continue across midnight.
            if midnight - time < .hours(2), chance.isTrue(percent: 50) { time = midnight - length / 2 }
            let used = Self.wholeSecond(time)..<Self.wholeSecond(time + length)
            let half = Self.wholeSecond(time + length / 2)
            let late = chance.isTrue(percent: 15) ? Interval.seconds(chance.number(60...40_000)) : .zero
            let parts =
                switch chance.number(0...3) {
                case 0: [used.lowerBound..<half, half..<used.upperBound]
                case 1: [used.lowerBound..<half, used]
                case 2: [used, used]
                default: [used]
                }
            for part in parts where !part.isEmpty {
                reports.append(Report(used: part, arrives: part.upperBound + .seconds(1) + late))
            }
            time = time + length + .seconds(chance.number(300...25_000))
        }
        self.reports = reports.sorted { $0.arrives < $1.arrives }
        heard = start
    }

    private static func wholeSecond(_ time: WallTime) -> WallTime {
        UTCDay(containing: time).start + .seconds((time - UTCDay(containing: time).start).inSeconds)
    }

    /// The time of the next signal.
    var rings: WallTime? { reports.first { $0.arrives > heard }?.arrives }

    func hear(at time: WallTime) { heard = max(heard, time) }
}

/// The folder for reports.
final class TrialInbox: ReportInbox {
    let directory = "/trial"
    let bell: Int32? = nil
    private let phone: TrialPhone
    private let machine: TrialMachine
    private let model: TrialModel
    private var read: [Int] = []

    init(_ phone: TrialPhone, _ machine: TrialMachine, _ model: TrialModel) {
        (self.phone, self.machine, self.model) = (phone, machine, model)
    }

    func silenceBell() {}

    func read(_ most: Int, at now: WallTime) -> ReportBatch {
        let yesterday = UTCDay(containing: now) + -1
        var batch = ReportBatch()
        for (index, report) in phone.reports.enumerated()
        where report.arrives <= machine.time && !report.isGone && !read.contains(index) {
            if report.used.upperBound <= yesterday.start || report.used.upperBound > now + .minutes(5) {
                phone.reports[index].isGone = true
                batch.refusals += 1
            } else {
                read.append(index)
                batch.reports.append(.use(report.used))
            }
        }
        // Use before yesterday need not count.
        let taken = read.suffix(batch.reports.count).map { phone.reports[$0].used }
        model.takeReports(taken.map { max($0.lowerBound, yesterday.start)..<$0.upperBound })
        return batch
    }

    func removeRead() {
        for index in read { phone.reports[index].isGone = true }
        read = []
    }
}
