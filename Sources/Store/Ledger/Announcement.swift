import Core

/// The state of consent that a sink's receiver was told.
public struct Announcement: Equatable, Sendable {
    /// See `Sink.announcementForm`.
    public let form: [UInt8]
    /// The allowed figures, by `Figure.id`, with the entry of the trail since which they are allowed. A different entry
    /// means that consent was interrupted.
    public let figures: [UInt8: ConsentEntry.ID]

    public init(form: [UInt8], figures: [UInt8: ConsentEntry.ID]) {
        self.form = form
        self.figures = figures
    }

    func pack(into packer: inout Packer) {
        packer.put(UInt8(clamping: figures.count))
        for (figure, since) in figures.sorted(by: { $0.key < $1.key }) {
            packer.put(figure)
            packer.put(since)
        }
        packer.put(UInt8(clamping: form.count))
        packer.put(form[...])
    }

    init(from unpacker: inout Unpacker) throws(Unpacker.Malformed) {
        let count: UInt8 = try unpacker.take()
        var figures: [UInt8: ConsentEntry.ID] = [:]
        for _ in 0..<count {
            let figure: UInt8 = try unpacker.take()
            figures[figure] = try unpacker.take()
        }
        self.figures = figures
        let length: UInt8 = try unpacker.take()
        form = Array(try unpacker.takeBytes(Int(length)))
    }
}

extension Ledger {
    /// The last announcement that the sink's receiver acknowledged; nil if unknown.
    public func announcement(by sink: SinkID) throws(LedgerError) -> Announcement? {
        try deliveryLogs()[sink]?.announced
    }

    /// Notes an announcement that the receiver acknowledged, and ends the hold on the sink.
    public func noteAnnounced(_ announcement: Announcement, by sink: SinkID) throws(LedgerError) {
        try changeLog(of: sink) {
            $0.announced = announcement
            $0.hold = nil
        }
    }

    /// Whether a record of a later day was delivered to the sink.
    public func hasDelivered(laterThan day: UTCDay, to sink: SinkID) throws(LedgerError) -> Bool {
        let later = try database.rows(
            "SELECT id FROM outbox WHERE kind = ? AND at > ?",
            [.int64(OutboxRecord.dayKind), .int64(day.start.nanoseconds)]
        ) { $0.integer(0) }
        for id in later where try state(of: id, at: sink).outcome == .delivered { return true }
        return false
    }

    /// The number of holds in a row for passing reasons like this one, up to now: on the sink, or on this kind.
    public func holds(
        of sink: SinkID, for reason: HoldReason, on kind: OutboxRecord.Kind? = nil
    ) throws(LedgerError) -> Int {
        try deliveryLogs()[sink]?.holds(for: reason, on: kind) ?? 0
    }
}
