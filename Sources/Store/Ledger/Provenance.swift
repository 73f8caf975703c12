import Domains

/// The span of time of one stored row. Raw values are stored; never reuse one. Another version may have stored a value
/// without a name here.
struct Granularity: RawRepresentable, Equatable {
    let rawValue: UInt8

    static let day = Granularity(rawValue: 1)
    static let event = Granularity(rawValue: 2)
    /// The state at the latest commit.
    static let moment = Granularity(rawValue: 3)
    /// A quarter of an hour.
    static let quarter = Granularity(rawValue: 4)
}

/// The data that every row with a payload carries (SPEC §9): in clear columns, which are part of its `SealedPlace`, or
/// within the seal.
struct Provenance: Equatable {
    let source: Source
    /// `Figure.id`; for a quarter, `Domain.id`; otherwise zero.
    let sampleType: UInt8
    let granularity: Granularity
    /// The entry of the consent trail under which it was collected; zero before the first.
    let consent: Int64
}

extension Provenance {
    /// For a row with invalid columns: nothing opens under it.
    static let unreadable = Provenance(
        source: Source(rawValue: 0), sampleType: 0, granularity: Granularity(rawValue: 0), consent: 0)

    static let columnNames = "source, sample_type, granularity, consent"

    /// In the order of `columnNames`.
    var columns: [SQLValue] {
        [.integer(source.rawValue), .integer(sampleType), .integer(granularity.rawValue), .integer(consent)]
    }

    /// Reads four columns from `first` on; nil for an invalid value.
    init?(_ row: Row, from first: Int32) {
        guard let source = UInt8(exactly: row.integer(first)).map(Source.init),
            let sampleType = UInt8(exactly: row.integer(first + 1)),
            let granularity = UInt8(exactly: row.integer(first + 2)).map(Granularity.init)
        else { return nil }
        self.init(source: source, sampleType: sampleType, granularity: granularity, consent: row.integer(first + 3))
    }
}
