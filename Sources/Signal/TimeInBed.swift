import Core

/// Finds the time in bed: long still spells, joined (HDCZA, SPEC §5).
enum TimeInBed {
    /// More unknown or unworn epochs in a row than this break a spell: five minutes. An epoch lost by a disturbed
    /// transfer does not.
    static let bridged = 10

    /// The spells in these epochs, oldest first, each at least `SleepRule.stillFor` long, and joined if close together.
    static func spells(in epochs: [SleepEpoch], below threshold: UnrestThreshold) -> [Range<Int>] {
        let long = stillRuns(in: epochs, below: threshold).filter { $0.count >= count(SleepRule.stillFor.inSeconds) }
        var joined: [Range<Int>] = []
        for run in long {
            guard let last = joined.last, run.lowerBound - last.upperBound < count(SleepRule.joinedOver.inSeconds),
                mayJoin(epochs[last.upperBound..<run.lowerBound])
            else {
                joined.append(run)
                continue
            }
            joined[joined.count - 1] = last.lowerBound..<run.upperBound
        }
        return joined
    }

    /// Whether two spells with this gap belong to one time in bed: the device was worn, and the wearer did not walk
    /// about.
    static func mayJoin(_ gap: ArraySlice<SleepEpoch>) -> Bool {
        !gap.contains(.notWorn) && gap.count { $0 == .walking } <= bridged
    }

    private static func stillRuns(in epochs: [SleepEpoch], below threshold: UnrestThreshold) -> [Range<Int>] {
        var runs: [Range<Int>] = []
        var first: Int?
        var missing = 0
        for (index, epoch) in epochs.enumerated() {
            if epoch.isStill(below: threshold) {
                if first == nil { first = index }
                missing = 0
                continue
            }
            if epoch == .unknown, missing < bridged {
                missing += 1
                continue
            }
            if let start = first { runs.append(start..<index - missing) }
            (first, missing) = (nil, 0)
        }
        if let first { runs.append(first..<epochs.count - missing) }
        return runs
    }

    /// The epochs in this many seconds.
    static func count(_ seconds: Int64) -> Int { Int(seconds / SleepEpoch.length.inSeconds) }
}
