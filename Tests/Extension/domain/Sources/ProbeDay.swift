import Core

extension Book {
    public static let probe = Book(
        id: 200, name: "probe", meaning: "when windows were taken", source: .imu, rows: .byDay, of: ProbeDay.self)
}

/// Times of one UTC day at which the probe listened.
public struct ProbeDay: BookRow {
    public static let book = Book.probe
    public private(set) var times: [WallTime] = []

    public init() {}

    public init(_ bytes: [UInt8]) throws(Unpacker.Malformed) {
        var unpacker = Unpacker(bytes)
        guard try unpacker.take(UInt8.self) == 1 else { throw Unpacker.Malformed() }
        while !unpacker.isAtEnd { times.append(try unpacker.takeWallTime()) }
    }

    public var bytes: [UInt8] {
        var packer = Packer()
        packer.put(UInt8(1))
        for time in times { packer.put(time.nanoseconds) }
        return packer.bytes
    }

    public static func newerPart(of bytes: [UInt8]) -> Parts.Newer? {
        guard let found = bytes.first, found > 1 else { return nil }
        return Parts.Newer(tag: 0, found: found, known: 1)
    }

    public var tallies: [BookTally] { [BookTally("window time", times.count)] }

    public mutating func narrow(to scope: Scope) { if !scope.contains(.probeTimes) { times = [] } }

    /// No day has as many.
    fileprivate mutating func add(_ time: WallTime) { if times.count < 48 { times.append(time) } }
}

/// A time to be kept.
public struct ProbeNote: BookEntry {
    let at: WallTime

    public init(at: WallTime) { self.at = at }

    public var days: [UTCDay] { [UTCDay(containing: at)] }
    public func enter(into row: inout ProbeDay, of day: UTCDay) { row.add(at) }
}
