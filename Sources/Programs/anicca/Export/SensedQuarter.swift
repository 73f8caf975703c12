import Commands
import Domains
import Store
import System
import Core
import Sensing

extension ExportContents {
    var sensed: [SensedQuarter] {
        get throws { SensedQuarter.all(of: try datedQuarters(), endedBy: now.wall) }
    }
}

/// A quarter of an hour whose time is known, with all that was sensed in it.
struct SensedQuarter {
    let dated: DatedQuarter
    let span: Range<WallTime>

    /// In the order of time, without those that go on at `now`: what is told of them would not stay.
    static func all(of dated: [DatedQuarter], endedBy now: WallTime) -> [SensedQuarter] {
        let quarters = dated.compactMap { dated -> SensedQuarter? in
            guard let began = dated.began, dated.quarter.length > .zero, began + dated.quarter.length <= now
            else { return nil }
            return SensedQuarter(dated: dated, span: began..<began + dated.quarter.length)
        }
        return quarters.sorted { $0.span.lowerBound < $1.span.lowerBound }
    }

    var origin: [UInt8] { dated.quarter.boot.bytes }

    func amount(of figure: Figure) -> Int64? { dated.amount(of: figure) }
}
