import Domains
import Core

/// The places of the store's sealed columns: every clear column of the row that must not be changed. Their order and
/// meaning never change, because stored data would no longer open.
extension SealedPlace {
    static let sealCheck = SealedPlace(table: "seal_check", 1)

    /// Every row of the trail; its number is within the payload (`ChainLink`).
    static let consent = SealedPlace(table: "consent")
    static let consentNow = SealedPlace(table: "consent_now", 1)

    static func checkpoint(_ provenance: Provenance, generation: Int64) -> SealedPlace {
        SealedPlace(
            table: "checkpoint", 1, Int64(provenance.source.rawValue), Int64(provenance.sampleType),
            Int64(provenance.granularity.rawValue), provenance.consent, generation)
    }

    static let mark = SealedPlace(table: "meta", 1)

    static func outbox(record: Int64, kind: Int64, at: Int64, key: IdempotencyKey) -> SealedPlace {
        SealedPlace(table: "outbox", record, kind, at, Int64(bitPattern: key.high), Int64(bitPattern: key.low))
    }

    static func history(day: Int64, _ provenance: Provenance) -> SealedPlace {
        SealedPlace(
            table: "history", day, Int64(provenance.source.rawValue), Int64(provenance.sampleType),
            Int64(provenance.granularity.rawValue), provenance.consent)
    }

    /// Not bound to the record's time and key, so that a changed record can still be set aside.
    static func outboxDelivery(record: Int64, sink: SinkID) -> SealedPlace {
        SealedPlace(table: "outbox_delivery", record, Int64(sink))
    }

    static func delivery(sink: SinkID) -> SealedPlace { SealedPlace(table: "delivery", Int64(sink)) }

    static func boot(_ boot: BootID, _ number: Int64) -> SealedPlace {
        SealedPlace(table: "boot", boot.high, boot.low, number)
    }

    /// Bound to the boot itself, not to the number of its row.
    static func quarter(_ key: QuarterKey, of boot: BootID) -> SealedPlace {
        SealedPlace(
            table: "quarter", boot.high, boot.low, key.start.nanoseconds, key.length.nanoseconds, key.cameLate ? 1 : 0,
            Int64(key.provenance.source.rawValue), Int64(key.provenance.sampleType),
            Int64(key.provenance.granularity.rawValue), key.provenance.consent)
    }

    static func moment(_ moment: StoredMoment) -> SealedPlace {
        Self.moment(
            of: moment.boot.id, at: moment.at.nanoseconds, kind: Int64(moment.kind), record: moment.record,
            moment.provenance)
    }

    static func moment(
        of boot: BootID, at time: Int64, kind: Int64, record: Int64, _ provenance: Provenance
    ) -> SealedPlace {
        SealedPlace(
            table: "moment", boot.high, boot.low, time, kind, record, Int64(provenance.source.rawValue),
            Int64(provenance.sampleType), Int64(provenance.granularity.rawValue), provenance.consent)
    }

    static func day(_ day: UTCDay) -> SealedPlace { SealedPlace(table: "day", Int64(day.daysSinceEpoch)) }

    static func book(_ id: Int64, _ provenance: Provenance) -> SealedPlace {
        SealedPlace(
            table: "book", id, Int64(provenance.source.rawValue), Int64(provenance.sampleType),
            Int64(provenance.granularity.rawValue), provenance.consent)
    }
}
