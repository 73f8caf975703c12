import Core

/// The visits that began on one UTC day and, with the scope `coordinates`, the places that the wearer passed.
public struct PlaceDay: BookRow {
    public static let book = Book.places
    /// In the order of arrival.
    public private(set) var visits: [Visit] = []
    /// In order of time.
    public private(set) var passed: [(at: WallTime, position: Coordinates)] = []

    /// The most of either; later ones are left out.
    static let most = 512
    private static let version: UInt8 = 1

    public init() {}

    public var tallies: [BookTally] { [BookTally("visit", visits.count), BookTally("coordinate", passed.count)] }

    public mutating func add(_ note: PlaceNote) {
        switch note {
        case .visit(let visit):
            visits.removeAll { Self.isSame($0, visit) }
            guard visits.count < Self.most else { return }
            visits.insert(visit, at: visits.firstIndex { $0.arrived > visit.arrived } ?? visits.count)
        case .passed(let time, let position):
            guard passed.count < Self.most, passed.last.map({ $0.at < time }) ?? true else { return }
            passed.append((time, position))
        }
    }

    /// Corrected clocks move the arrival of a visit by less than this.
    static let arrivalVaries = LocationSettings.leastVisit

    /// Removes the visit that is the same as this one, with an arrival on another day.
    public mutating func remove(_ visit: Visit) { visits.removeAll { Self.isSame($0, visit) } }

    /// Whether the arrivals are the same, except for a corrected clock or that of another boot. Two visits never begin
    /// within the shortest length of a visit.
    private static func isSame(_ one: Visit, _ other: Visit) -> Bool {
        max(one.arrived, other.arrived) - min(one.arrived, other.arrived) < arrivalVaries
    }

    public mutating func narrow(to scope: Scope) {
        guard !scope.contains(.coordinates) else { return }
        visits = visits.map { Visit(arrived: $0.arrived, left: $0.left, place: $0.place, position: nil) }
        passed = []
    }

    public static func == (left: PlaceDay, right: PlaceDay) -> Bool { left.bytes == right.bytes }

    public var bytes: [UInt8] {
        var packer = Packer()
        packer.put(Self.version)
        packer.put(short: Int64(visits.count))
        for visit in visits {
            packer.put(visit.arrived.nanoseconds)
            packer.put(visit.left?.nanoseconds ?? 0)
            packer.put(visit.place)
            packer.put(visit.position)
        }
        packer.put(short: Int64(passed.count))
        for (time, position) in passed {
            packer.put(time.nanoseconds)
            packer.put(position)
        }
        return packer.bytes
    }

    public static func newerPart(of bytes: [UInt8]) -> Parts.Newer? {
        guard let found = bytes.first, found > version else { return nil }
        return Parts.Newer(tag: 0, found: found, known: version)
    }

    /// Reads what `bytes` of this or an older version wrote.
    public init(_ bytes: [UInt8]) throws(Unpacker.Malformed) {
        var unpacker = Unpacker(bytes)
        guard try unpacker.take(UInt8.self) == Self.version else { throw Unpacker.Malformed() }
        for _ in 0..<(try unpacker.takeCount(upTo: Self.most)) {
            let arrived = try unpacker.takeWallTime()
            let left = try unpacker.takeWallTime()
            let place = try unpacker.take(Int32.self)
            let hasLeft = left.nanoseconds != 0
            guard visits.last.map({ $0.arrived < arrived }) ?? true, !hasLeft || left >= arrived, place >= 0
            else { throw Unpacker.Malformed() }
            visits.append(
                Visit(
                    arrived: arrived, left: hasLeft ? left : nil, place: place, position: try unpacker.takePosition()))
        }
        for _ in 0..<(try unpacker.takeCount(upTo: Self.most)) {
            let time = try unpacker.takeWallTime()
            guard let position = try unpacker.takePosition(), passed.last.map({ $0.at < time }) ?? true
            else { throw Unpacker.Malformed() }
            passed.append((time, position))
        }
        guard unpacker.isAtEnd else { throw Unpacker.Malformed() }
    }
}

extension Packer {
    mutating func put(_ position: Coordinates?) {
        put(position != nil)
        guard let position else { return }
        put(position.latitude.bitPattern)
        put(position.longitude.bitPattern)
    }
}

extension Unpacker {
    mutating func takePosition() throws(Malformed) -> Coordinates? {
        guard try takeBool() else { return nil }
        let (latitude, longitude) = (try take(UInt64.self), try take(UInt64.self))
        let position = Coordinates(latitude: Double(bitPattern: latitude), longitude: Double(bitPattern: longitude))
        guard let position else { throw Malformed() }
        return position
    }

    fileprivate mutating func takeCount(upTo most: Int) throws(Malformed) -> Int {
        let count = try takeShortAmount()
        guard count <= most else { throw Malformed() }
        return Int(count)
    }
}
