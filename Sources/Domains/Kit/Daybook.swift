import Core

/// The open quarters of an hour: amounts by figure, counted and held.
///
/// Held amounts may or may not count later; they keep their quarter open for a while. A quarter that is final is taken
/// out and stored. While a clock is trusted, the quarters are those of UTC, so none crosses midnight; otherwise they
/// are counted from the start of the boot. Amounts of unknown figures are kept unchanged.
public struct Daybook: Sendable {
    /// The present boot, to which new amounts belong.
    public private(set) var boot: BootID
    private var clock: TrustedClock?
    /// In order of their start, those of earlier boots first.
    private var open: [OpenQuarter] = []

    private struct OpenQuarter: Equatable, Sendable {
        let boot: BootID
        let start: BootTime
        var length: Interval
        /// In the order of figures.
        var entries: [Entry] = []

        var end: BootTime { start + length }
        var holdsSome: Bool { entries.contains { $0.held != 0 } }
    }

    private struct Entry: Equatable, Sendable {
        let figure: UInt8
        var counted: Int64 = 0
        var held: Int64 = 0

        /// Whether another amount of its figure may be beside it.
        var isRow: Bool { (counted != 0 || held != 0) && Figure(id: figure)?.fold.keepsEach == true }

        /// The counted and held amount together.
        var value: Int64 {
            let replaces = Figure(id: figure)?.fold.replaces ?? false
            return replaces ? (held == 0 ? counted : held) : counted + held
        }
    }

    public init(boot: BootID = .unknown) { self.boot = boot }

    public var isEmpty: Bool { open.isEmpty }

    /// Follows the clock of this boot; nil while none is trusted. The current quarter ends now if it is no quarter of
    /// that clock.
    public mutating func follow(_ clock: TrustedClock?, at now: BootTime) {
        guard clock != self.clock else { return }
        self.clock = clock
        for index in open.indices where open[index].boot == boot && open[index].start < now && now < open[index].end {
            if start(at: open[index].start) != open[index].start { open[index].length = now - open[index].start }
        }
    }

    private func start(at time: BootTime) -> BootTime {
        clock?.quarterStart(at: time) ?? QuarterHour.start(at: time)
    }

    /// Notes that a figure is being collected at `time`, so that it exists even without amounts.
    public mutating func observe(_ figure: Figure, at time: BootTime) { change(figure, at: time) { _ in } }

    /// Adds amounts. If the figure's fold replaces, they replace the amount of their quarter. The rows of a table are
    /// kept separately.
    public mutating func add(_ amounts: Amounts, to figure: Figure) {
        divide(amounts) { book, amount, time in
            book.change(figure, at: time) { $0.counted = figure.fold.joined($0.counted, with: amount) }
        }
    }

    /// Holds amounts until they count or are discarded.
    public mutating func hold(_ amounts: Amounts, of figure: Figure) {
        divide(amounts) { book, amount, time in
            book.change(figure, at: time) { $0.held = figure.fold.joined($0.held, with: amount) }
        }
    }

    /// Adds the held amounts of the figure.
    public mutating func count(_ figure: Figure) {
        changeHeld(of: figure) { $0.counted = $0.value }
    }

    /// Drops the held amounts of the figure: all, or those of quarters that begin before a time of this boot.
    public mutating func discard(_ figure: Figure, before time: BootTime? = nil) {
        changeHeld(of: figure, before: time) { _ in }
    }

    /// Counts all held amounts in quarters that begin before a time of this boot.
    public mutating func countAll(before time: BootTime) {
        for figure in Figure.all { changeHeld(of: figure, before: time) { $0.counted = $0.value } }
    }

    /// Splits times at the ends of quarters.
    private mutating func divide(_ amounts: Amounts, _ take: (inout Daybook, Int64, BootTime) -> Void) {
        switch amounts {
        case .one(let amount, let time): take(&self, amount, time)
        case .each(let times): for time in times { take(&self, 1, time) }
        case .dated(let amount, let time):
            take(&self, DatedAmount(amount, seconds: (time - start(at: time)).inSeconds).stored, time)
        case .moment(let time): take(&self, (time - start(at: time)).inMilliseconds + 1, time)
        case .time(var from, let to):
            while from < to {
                let stop = min(to, start(at: from) + QuarterHour.length)
                take(&self, (stop - from).nanoseconds, from)
                from = stop
            }
        }
    }

    private mutating func change(_ figure: Figure, at time: BootTime, _ change: (inout Entry) -> Void) {
        let quarter = index(ofQuarterAt: start(at: time))
        var place = 0
        while place < open[quarter].entries.count,
            open[quarter].entries[place].figure < figure.id
                || open[quarter].entries[place].isRow && open[quarter].entries[place].figure == figure.id
        { place += 1 }
        if place == open[quarter].entries.count || open[quarter].entries[place].figure != figure.id {
            open[quarter].entries.insert(Entry(figure: figure.id), at: place)
        }
        change(&open[quarter].entries[place])
    }

    private mutating func index(ofQuarterAt start: BootTime) -> Int {
        // The latest are at the end.
        for index in open.indices.reversed() where open[index].boot == boot && open[index].start == start {
            return index
        }
        var place = open.count
        while place > 0, open[place - 1].boot == boot, open[place - 1].start > start { place -= 1 }
        open.insert(OpenQuarter(boot: boot, start: start, length: QuarterHour.length), at: place)
        return place
    }

    private mutating func changeHeld(
        of figure: Figure, before time: BootTime? = nil, _ change: (inout Entry) -> Void
    ) {
        for index in open.indices {
            if let time, open[index].boot == boot, open[index].start >= time { continue }
            for place in open[index].entries.indices.reversed()
            where open[index].entries[place].figure == figure.id && open[index].entries[place].held != 0 {
                change(&open[index].entries[place])
                open[index].entries[place].held = 0
                // For such a figure, no amount means no value.
                if figure.fold.replaces, open[index].entries[place].counted == 0 {
                    open[index].entries.remove(at: place)
                }
            }
        }
        open.removeAll { $0.entries.isEmpty }
    }

    /// The start of the earliest quarter with held amounts; nil for none. Quarters of an earlier boot count as the
    /// beginning of this one.
    public var heldSince: BootTime? {
        guard let first = open.first(where: \.holdsSome) else { return nil }
        return first.boot == boot ? first.start : min(first.start, BootTime(nanoseconds: 0))
    }

    /// Whether amounts of an earlier boot are held; its days are settled only after they are decided.
    public var holdsOfEarlierBoots: Bool { open.contains { $0.boot != boot && $0.holdsSome } }

    /// The end of the earliest quarter that can be taken; nil for none. Quarters of earlier boots ended at the
    /// beginning of this one.
    ///
    /// - Parameter settled: no amounts are added any more before this time.
    public func settledSince(before settled: BootTime) -> BootTime? {
        guard let first = open.first(where: { Self.isSettled($0, in: boot, settled) }) else { return nil }
        return first.boot == boot ? first.end : BootTime(nanoseconds: 0)
    }

    /// Whether a quarter of an earlier boot can be taken.
    public var hasSettledOfEarlierBoots: Bool { open.contains { $0.boot != boot && !$0.holdsSome } }

    /// Removes and returns the quarters that are final.
    public mutating func takeSettled(before settled: BootTime) -> [Quarter] {
        let boot = boot
        let taken = open.filter { Self.isSettled($0, in: boot, settled) }.map(Self.quarter)
        open.removeAll { Self.isSettled($0, in: boot, settled) }
        return taken
    }

    private static func isSettled(_ quarter: OpenQuarter, in boot: BootID, _ settled: BootTime) -> Bool {
        !quarter.holdsSome && (quarter.boot != boot || quarter.end <= settled)
    }

    /// The content of the book, with held amounts as if they counted.
    public var quarters: [Quarter] { open.map(Self.quarter) }

    private static func quarter(_ open: OpenQuarter) -> Quarter {
        Quarter(
            boot: open.boot, start: open.start, length: open.length,
            amounts: open.entries.map { Quarter.Amount($0.figure, $0.value) }
        ).givingWay()
    }

    /// Deletes a domain's amounts that are not stored yet. Returns false when there were none.
    @discardableResult
    public mutating func drop(_ domain: Domain) -> Bool {
        var hadSome = false
        for index in open.indices {
            let before = open[index].entries.count
            open[index].entries.removeAll { entry in domain.figures.contains { $0.id == entry.figure } }
            hadSome = hadSome || open[index].entries.count < before
        }
        open.removeAll { $0.entries.isEmpty }
        return hadSome
    }
}

extension Daybook {
    /// Writes everything but the clock, which the program determines again.
    public func pack(into packer: inout Packer) {
        var boots: [BootID] = []
        for quarter in open where boots.last != quarter.boot { boots.append(quarter.boot) }
        packer.put(short: Int64(boots.count))
        for boot in boots {
            let quarters = open.filter { $0.boot == boot }
            boot.pack(into: &packer)
            packer.put(short: Int64(quarters.count))
            for quarter in quarters {
                packer.put(short: quarter.start.nanoseconds)
                packer.put(short: quarter.length.inMilliseconds)
                packer.put(short: Int64(quarter.entries.count))
                for entry in quarter.entries {
                    packer.put(entry.figure)
                    packer.put(short: entry.counted)
                    packer.put(short: entry.held)
                }
            }
        }
    }

    public mutating func unpack(from unpacker: inout Unpacker) throws(Unpacker.Malformed) {
        var open: [OpenQuarter] = []
        for _ in 0..<(try unpacker.takeShortAmount()) {
            let boot = try BootID(from: &unpacker)
            guard !open.contains(where: { $0.boot == boot }) else { throw Unpacker.Malformed() }
            for _ in 0..<(try unpacker.takeShortAmount()) {
                let start = try unpacker.takeShort()
                let length = Interval.milliseconds(min(try unpacker.takeShortAmount(), 86_400_000))
                guard start.magnitude < 1 << 62 else { throw Unpacker.Malformed() }
                var quarter = OpenQuarter(boot: boot, start: BootTime(nanoseconds: start), length: length)
                for _ in 0..<(try unpacker.takeShortAmount()) {
                    let figure: UInt8 = try unpacker.take()
                    // A figure of a newer version may occur several times, as in a table.
                    let mayRepeat =
                        figure == quarter.entries.last?.figure && Figure(id: figure)?.fold.keepsEach ?? true
                    guard mayRepeat || figure > quarter.entries.last?.figure ?? 0 else { throw Unpacker.Malformed() }
                    quarter.entries.append(
                        Entry(
                            figure: figure, counted: try unpacker.takeShortAmount(),
                            held: try unpacker.takeShortAmount()))
                }
                open.append(quarter)
            }
        }
        self.open = open
    }
}
