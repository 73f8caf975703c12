import Commands
import Core
import Domains
import Store
import System

/// The coverage of a day by domain: a section of `why`, and rows of the export.
struct CoverageReport {
    struct Row {
        let domain: Domain
        let coverage: Coverage
        /// Nil if its figures do not tell wear.
        let worn: Int64?

        /// Nil if the data does not tell.
        var observed: Int64? { coverage.isKnown ? coverage.minutes[0] : nil }
        /// In the order of `Coverage.Loss`.
        var lost: [(loss: Coverage.Loss, minutes: Int64)] { Coverage.lost(in: coverage.minutes) }
    }

    let rows: [Row]

    /// - Parameter until: the present time, for a day that has not ended.
    init(of explanation: DayExplanation, by reader: CoverageReader, until: WallTime? = nil) throws(LedgerError) {
        rows = try reader.coverage(of: explanation, until: until).map { domain, coverage in
            let figure = domain.figures.first(where: \.tellsWear)
            return Row(
                domain: domain, coverage: coverage, worn: figure.map { explanation.time(of: $0).inMinutes })
        }
    }

    /// The domains whose data does not tell how long they were observed.
    var unknown: [Domain] { rows.filter { $0.observed == nil }.map(\.domain) }

    /// With a title; empty without a domain.
    var lines: [String] {
        (rows.isEmpty ? [] : ["Coverage"])
            + rows.map { row in
                let losses = row.lost.filter { $0.minutes > 0 }.map { "\($0.loss.words) \($0.minutes)" }
                var parts = ["observed \(row.observed.map { "\($0) min" } ?? "not known")"]
                if let worn = row.worn { parts.append("worn \(worn)") }
                if !losses.isEmpty { parts.append("lost: " + losses.joined(separator: ", ")) }
                return "  " + pad(row.domain.description, to: 12) + parts.joined(separator: ", ")
            }
    }

    var json: [JSONObject] {
        rows.map { row in
            JSONObject(
                ("domain", row.domain), ("observedMinutes", row.observed), ("wornMinutes", row.worn),
                ("lostMinutes", JSONObject(row.lost.filter { $0.minutes > 0 }.map { ($0.loss.name, $0.minutes) })))
        }
    }
}

extension Coverage.Loss {
    fileprivate var words: String {
        switch self {
        case .noPower: "no power"
        case .noTime: "no time"
        case .unknown: "not known"
        case .off, .suspended, .silent: name
        }
    }
}
