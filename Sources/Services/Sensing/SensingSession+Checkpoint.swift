import Domains
import Quantities

/// The state that outlives a restart.
extension SensingSession {
    private static let checkpointVersion: UInt8 = 3

    /// Everything that a restart must not lose: open days, the still spell, the sedentary stretch, the run of pulses.
    /// Which devices are open is not among it; a restart opens them anew.
    public func checkpoint(at now: Instant) -> [UInt8] {
        var packer = Packer()
        packer.put(Self.checkpointVersion)
        daybook.pack(into: &packer)
        wearer.pack(into: &packer, at: now)
        return packer.bytes
    }

    /// Takes up where a checkpoint left off. Call it before the first event. On an error the session is as it was.
    public mutating func restore(_ checkpoint: [UInt8], at now: Instant) throws(Unpacker.Malformed) {
        var restored = self
        var unpacker = Unpacker(checkpoint)
        guard try unpacker.take(UInt8.self) == Self.checkpointVersion else { throw Unpacker.Malformed() }
        try restored.daybook.unpack(from: &unpacker)
        try restored.wearer.unpack(from: &unpacker, at: now)
        guard unpacker.isAtEnd else { throw Unpacker.Malformed() }
        self = restored
    }

    /// The figures of the day so far, with what is still undecided counted as if it stood.
    public func today(at now: Instant) -> ClosedDay {
        var book = daybook
        book.add(wearer.undecided, to: .sedentaryMinutes)
        book.add(wearer.steps, to: .steps)
        let day = UTCDay(containing: now.wall)
        return ClosedDay(day: day, figures: book.figures(of: day))
    }
}
