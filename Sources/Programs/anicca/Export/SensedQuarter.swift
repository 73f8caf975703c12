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

/// A quarter of an hour with a known time, and all data sensed in it.
struct SensedQuarter {
    let dated: DatedQuarter
    let span: Range<WallTime>

    /// In order of time, without quarters that are still open at `now`, whose data may change.
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
