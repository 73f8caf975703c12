import Core

/// The state of consent of which the receiver of a sink was told.
public struct Announcement: Equatable, Sendable {
    /// As `Sink.announcementForm`.
    public let form: [UInt8]
    /// The figures that are allowed, by `Figure.id`, with the entry of the trail since which they are. Another entry means that consent
    /// was interrupted.
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
    /// The last announcement that the sink's receiver acknowledged; nil where none is known.
    public func announcement(by sink: SinkID) throws(LedgerError) -> Announcement? {
        try deliveryLogs()[sink]?.announced
    }

    /// Notes that the receiver was told, which it acknowledged: the sink is not left alone any more.
    public func noteAnnounced(_ announcement: Announcement, by sink: SinkID) throws(LedgerError) {
        try changeLog(of: sink) {
            $0.announced = announcement
            $0.hold = nil
        }
    }

    /// Whether the sink has a record of a later day than the given one.
    public func hasDelivered(laterThan day: UTCDay, to sink: SinkID) throws(LedgerError) -> Bool {
        let later = try database.rows(
            "SELECT id FROM outbox WHERE kind = ? AND at > ?",
            [.int64(OutboxRecord.dayKind), .int64(day.start.nanoseconds)]
        ) { $0.integer(0) }
        for id in later where try state(of: id, at: sink).outcome == .delivered { return true }
        return false
    }

    /// How often in a row the sink was left alone for a reason that passes like this one, up to now: with everything, or with this kind.
    public func holds(
        of sink: SinkID, for reason: HoldReason, on kind: OutboxRecord.Kind? = nil
    ) throws(LedgerError) -> Int {
        try deliveryLogs()[sink]?.holds(for: reason, on: kind) ?? 0
    }
}
