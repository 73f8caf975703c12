import Core
import Signal
import Testing

@testable import Domains

/// A wearer between home, 0 m, and a shop, 2,000 m to the east.
@Suite struct LocationCollectorTests {
    private let clock = TrustedClock(
        began: WallTime(secondsSinceEpoch: 1_768_435_200), source: .kernel, since: BootTime(nanoseconds: 0))

    private func makeCollector(
        _ scope: Scope = .placeEvents, _ change: (inout LocationSettings) -> Void = { _ in }
    ) -> LocationCollector {
        var values = DomainValues()
        values[LocationSettings.self].fences = [Way.fence(), Way.fence("shop", at: 2_000)]
        change(&values[LocationSettings.self])
        var collector = LocationCollector(values)
        _ = collector.handle(.began(scope, servedBy: .gpsd), at: BootTime(nanoseconds: 0))
        return collector
    }

    /// Each fix as it comes.
    private func tell(_ collector: inout LocationCollector, _ fixes: [Fix], dated: Bool = true) -> [CollectorEffect] {
        fixes.flatMap { collector.handle(.fixes([$0], dated ? clock : nil), at: $0.at) }
    }

    private func events(_ effects: [CollectorEffect]) -> [String] {
        effects.compactMap { effect in
            guard case .raise(let kind, let value, _) = effect else { return nil }
            let names = [Fence.number(ofName: "home"): "home", Fence.number(ofName: "shop"): "shop"]
            return "\(kind) \(names[value] ?? "\(value)")"
        }
    }

    private func notes(_ effects: [CollectorEffect]) -> [PlaceNote] {
        effects.compactMap { if case .enter(let note) = $0 { note.entry as? PlaceNote } else { nil } }
    }

    private func window(_ activity: Activity, at now: BootTime) -> CollectorInput {
        let judgement = Judgement(activity, .high)
        let samples = [Acceleration](repeating: Acceleration(x: 0, y: 0, z: 1), count: Window.length)
        guard let window = Window(samples) else { preconditionFailure("as many samples as a window has") }
        return .window(
            JudgedWindow(window, before: judgement, after: judgement, start: now - .seconds(60), change: now))
    }

    @Test func aDayTellsOfArrivalsAtOnceAndOfEveryCrossing() {
        var (collector, way) = (makeCollector(), Way())
        #expect(events(tell(&collector, way.stay(299))).isEmpty)
        #expect(events(tell(&collector, way.stay(3))) == ["visit home"])
        let drive = tell(&collector, way.go(to: 2_000, metresPerSecond: 10))
        #expect(events(drive) == ["geofence_exited home"])
        let shopping = tell(&collector, way.stay(400))
        #expect(events(shopping) == ["geofence_entered shop", "visit shop"])
        let visits = notes(drive + shopping).compactMap { if case .visit(let visit) = $0 { visit } else { nil } }
        #expect(visits.count == 2 && visits[0].left != nil && visits[1].left == nil)
        #expect(visits.allSatisfy { $0.position == nil }, "the scope has no coordinates")
    }

    @Test func withoutTheScopeNoCoordinateIsInTheState() {
        for scope in [Scope.placeEvents, [.placeEvents, .coordinates]] {
            var (collector, way) = (makeCollector(scope), Way())
            _ = tell(&collector, way.stay(400, at: 1_234), dated: false)
            var packer = Packer()
            collector.pack(into: &packer)
            let degrees = Way.place(1_234).longitude
            // A mean can differ in its last bits.
            let isThere = packer.bytes.indices.dropLast(7).contains { index in
                let bits = packer.bytes[index..<(index + 8)].reversed().reduce(0) { $0 << 8 | UInt64($1) }
                return abs(Double(bitPattern: bits) - degrees) < 1e-6
            }
            #expect(isThere == (scope != .placeEvents))
        }
    }

    @Test func withTheScopeThePlacesOfSignificantChangesAreKept() {
        var (collector, way) = (makeCollector([.placeEvents, .coordinates]), Way())
        let effects = tell(&collector, way.stay(10) + way.go(to: 1_800, metresPerSecond: 10))
        let passed = notes(effects).compactMap { if case .passed(_, let place) = $0 { place } else { nil } }
        #expect(passed == [0, 500, 1_000, 1_500].map { Way.place($0) })
        _ = collector.handle(.began(.placeEvents, servedBy: .gpsd), at: way.now)
        #expect(
            notes(tell(&collector, way.go(to: 4_000, metresPerSecond: 10))).allSatisfy {
                if case .visit = $0 { true } else { false }
            })
    }

    @Test func aRestartTellsNothingTwiceAndForgetsNoSide() throws {
        var (collector, way) = (makeCollector(), Way())
        let before = events(tell(&collector, way.stay(400)))
        var packer = Packer()
        collector.pack(into: &packer)
        var restored = makeCollector()
        var unpacker = Unpacker(packer.bytes)
        try restored.unpack(from: &unpacker, version: 1, times: RestoredTimes(shift: .zero, now: way.now))
        #expect(unpacker.isAtEnd && before == ["visit home"])
        way.pass(.minutes(3))
        let after = tell(&restored, way.stay(400) + way.go(to: 600, metresPerSecond: 1.5) + way.stay(90))
        #expect(events(after) == ["geofence_exited home"])
        let visits = notes(after).compactMap { if case .visit(let visit) = $0 { visit } else { nil } }
        #expect(
            visits.first?.arrived == clock.time(at: BootTime(nanoseconds: 3_601_000_000_000)).wall, "the same visit")
    }

    @Test func whoIsElsewhereAfterARestartVisitsAnotherPlace() throws {
        // From a place without a name to one that has one, and back.
        for (from, to, visits) in [(1_000.0, 0.0, ["visit home"]), (0, 1_000, ["visit 0"])] {
            var (collector, way) = (makeCollector(), Way())
            _ = tell(&collector, way.stay(400, at: from))
            var packer = Packer()
            collector.pack(into: &packer)
            var restored = makeCollector()
            var unpacker = Unpacker(packer.bytes)
            try restored.unpack(from: &unpacker, version: 1, times: RestoredTimes(shift: .zero, now: way.now))
            way.pass(.minutes(5))
            let after = events(tell(&restored, way.stay(400, at: to)))
            #expect(after.filter { $0.hasPrefix("visit") } == visits)
        }
    }

    @Test(arguments: [true, false])
    func aBootOfUnknownDistanceEndsAStayByItsOwnClockOrNotAtAll(isDated: Bool) throws {
        var (collector, way) = (makeCollector(), Way())
        _ = tell(&collector, way.stay(400), dated: isDated)
        var packer = Packer()
        collector.pack(into: &packer)
        let last = clock.time(at: way.now).wall
        var unpacker = Unpacker(packer.bytes)
        var restored = LocationCollector(DomainValues())
        way.pass(.hours(5))
        let times = RestoredTimes(
            shift: .days(-1), now: way.now, isBroken: true, began: isDated ? clock.began : nil)
        try restored.unpack(from: &unpacker, version: 1, times: times)
        #expect(unpacker.isAtEnd)
        let ended = notes(restored.handle(.began(.placeEvents, servedBy: .gpsd), at: way.now))
        let arrived = clock.time(at: BootTime(nanoseconds: 3_601_000_000_000)).wall
        let visit = Visit(arrived: arrived, left: last, place: Fence.number(ofName: "home"), position: nil)
        #expect(ended == (isDated ? [.visit(visit)] : []))
        #expect(notes(restored.handle(.began(.placeEvents, servedBy: .gpsd), at: way.now)).isEmpty, "once")
        let after = notes(tell(&restored, way.stay(400)))
        #expect(after.count == 1 && after.allSatisfy { $0.at > last }, "a visit of this boot")
    }

    @Test func aFixThatIsBelievedIsStoredWithTheQuietFigures() {
        var (collector, way) = (makeCollector(), Way())
        #expect(tell(&collector, way.stay(1)) == [.storeQuietly])
        way.error = nil
        #expect(tell(&collector, way.stay(1)).isEmpty, "one that is not shows nothing")
    }

    @Test func aFenceThatWasMovedIsAnother() throws {
        var (collector, way) = (makeCollector(), Way())
        _ = tell(&collector, way.stay(100))
        var packer = Packer()
        collector.pack(into: &packer)
        var restored = makeCollector { $0.fences = [Way.fence(at: 700)] }
        var unpacker = Unpacker(packer.bytes)
        try restored.unpack(from: &unpacker, version: 1, times: RestoredTimes(shift: .zero, now: way.now))
        #expect(events(tell(&restored, way.stay(200))).isEmpty, "it was not left")
    }

    @Test func brokenStateIsRefused() {
        for bytes: [UInt8] in [[], [1], [0, 2], [0, 0, 1, 1], [0, 0, 0, 1, 0xFF, 0xFF]] {
            var (restored, unpacker) = (makeCollector(), Unpacker(bytes))
            #expect(throws: Unpacker.Malformed.self) {
                try restored.unpack(
                    from: &unpacker, version: 1, times: RestoredTimes(shift: .zero, now: BootTime(nanoseconds: 0)))
            }
        }
    }

    @Test func restAfterAWalkWithoutASignalIsNotRestAtThePlaceBefore() {
        for walks in [true, false] {
            var (collector, way) = (makeCollector(), Way())
            _ = tell(&collector, way.stay(70))
            var told: [String] = []
            for minute in 1...30 {
                let now = way.now + .minutes(Int64(minute))
                let isWalk = walks && minute < 4
                told += events(collector.handle(window(isWalk ? .walking : .stationary, at: now), at: now))
            }
            #expect(told == (walks ? [] : ["visit home"]))
        }
    }

    /// The receiver sleeps, and its next fix may be hours away.
    @Test func aVisitThatAWindowTellsIsStoredAtOnce() throws {
        var (collector, way) = (makeCollector(), Way())
        _ = tell(&collector, way.stay(70))
        var now = way.now
        while events(collector.handle(window(.stationary, at: now), at: now)).isEmpty { now = now + .minutes(1) }
        #expect(try #require(collector.agenda(at: now)) <= now)
        #expect(notes(collector.handle(.woke(nil), at: now)).isEmpty)
        #expect(try #require(collector.agenda(at: now)) > now, "without a clock it waits")
        #expect(notes(collector.handle(.woke(clock), at: now)).count == 1)
    }

    @Test func theReceiverSleepsWhileTheWearerIsStill() {
        var (collector, way) = (makeCollector(), Way())
        #expect(collector.signals == .position)
        _ = tell(&collector, way.stay(70))
        #expect(collector.signals == [], "the place is known")
        var looks = 0
        for minutes in 1...60 {
            let now = way.now + .minutes(Int64(minutes) * 5)
            _ = collector.handle(window(.stationary, at: now), at: now)
            guard collector.signals == .position else { continue }
            looks += 1
            for second in 1...6 {
                let at = now + .seconds(Int64(second))
                _ = collector.handle(.fixes([Fix(at: at, Way.middle, error: 8, speed: 0)], clock), at: at)
            }
        }
        #expect(looks == 2, "the last one shows where the wearer came to rest")
        let morning = way.now + .hours(5)
        #expect(
            collector.signals == []
                && collector.agenda(at: morning) == morning + .minutes(11) + Interval(nanoseconds: 1))
        let walk = morning + .seconds(30)
        _ = collector.handle(window(.walking, at: walk), at: walk)
        #expect(collector.signals == .position, "taken at once when the wearer sets out")
    }

    @Test func theReceiverIsAskedAgainWhenWindowsEndWhileTheWearerIsStill() throws {
        var (collector, way) = (makeCollector(), Way())
        _ = tell(&collector, way.stay(70))
        var now = way.now
        for _ in 1...6 {
            now = now + .minutes(5)
            _ = collector.handle(window(.stationary, at: now), at: now)
            let fixes = (1...6).map { Fix(at: now + .seconds(Int64($0)), Way.middle, error: 8, speed: 0) }
            if collector.signals == .position { _ = tell(&collector, fixes) }
        }
        #expect(collector.signals == [], "at rest")
        // Motion is turned off.
        let next = try #require(collector.agenda(at: now))
        _ = collector.handle(.woke(clock), at: next)
        #expect(collector.signals == .position && next - now < .minutes(12))
    }

    /// The seconds of fixes in which an event is told, of a receiver that reports `every` so often while it is asked.
    private func fixesUntil(_ event: String, _ collector: inout LocationCollector, _ way: inout Way, at place: Double)
        -> Interval?
    {
        var shown = Interval.zero
        for _ in 0..<3_600 {
            let fixes = way.stay(1, at: place)
            if let time = collector.agenda(at: way.now), time <= way.now {
                if events(collector.handle(.woke(clock), at: way.now)).contains(event) { return shown }
            }
            guard collector.signals == .position else { continue }
            shown += way.every
            if events(tell(&collector, fixes)).contains(event) { return shown }
        }
        return nil
    }

    @Test(arguments: [80, 200, 300]) func afterTheReceiverWasAwayTwoMinutesOfFixesDecide(seconds: Int64) throws {
        for mode in LocationSettings.Mode.allCases {
            var (collector, way) = (makeCollector { $0.mode = mode }, Way())
            _ = tell(&collector, way.stay(600, at: 1_000))
            _ = collector.handle(.interrupted, at: way.now)
            way.pass(.seconds(seconds))
            let shown = try #require(fixesUntil("geofence_entered home", &collector, &way, at: 0))
            #expect(shown <= .seconds(122))
        }
    }

    @Test func whereAGhostWasBelievedThePlaceIsFoundAgainInTheSameLook() throws {
        var (collector, way) = (makeCollector(), Way())
        _ = tell(&collector, way.stay(600, at: 1_000))
        let drive = way.now + .seconds(70)
        _ = collector.handle(window(.automotive, at: drive), at: drive)
        way.pass(.seconds(80))
        _ = tell(&collector, way.stay(5, at: 3_500))
        let shown = try #require(fixesUntil("geofence_entered home", &collector, &way, at: 0))
        #expect(shown <= .seconds(130))
    }

    @Test(arguments: [6, 15, 30]) func aReceiverThatReportsSeldomTellsOfCrossings(seconds: Int64) throws {
        for mode in LocationSettings.Mode.allCases {
            var (collector, way) = (makeCollector { $0.mode = mode }, Way())
            way.every = .seconds(seconds)
            _ = tell(&collector, way.stay(30))
            way.speed = 2
            _ = try #require(fixesUntil("geofence_exited home", &collector, &way, at: 300))
            _ = try #require(fixesUntil("geofence_entered home", &collector, &way, at: 0))
        }
    }

    @Test func aFenceBesideAnotherTellsItsOwnCrossing() {
        var (collector, way) = (makeCollector { $0.fences.append(Way.fence("around", radius: 101)) }, Way())
        let effects = tell(&collector, way.stay(100) + way.go(to: 600, metresPerSecond: 2) + way.stay(100))
        #expect(effects.filter { if case .raise = $0 { true } else { false } }.count == 2)
    }

    @Test func aVisitEndsWhenLocationIsTurnedOff() {
        var (collector, way) = (makeCollector(), Way())
        _ = tell(&collector, way.stay(400), dated: false)
        let left = clock.time(at: way.now).wall
        let ended = notes(collector.handle(.finished(clock), at: way.now + .minutes(9)))
        let visits = ended.compactMap { if case .visit(let visit) = $0 { visit } else { nil } }
        #expect(visits.map(\.left) == [nil, left])
        #expect(notes(collector.handle(.finished(clock), at: way.now + .minutes(9))).isEmpty, "once")
    }

    @Test func aVisitEndsWhenNothingShowsAnyMoreThatItGoesOn() throws {
        var (collector, way) = (makeCollector(), Way())
        _ = tell(&collector, way.stay(400))
        let left = clock.time(at: way.now).wall
        var ended: [PlaceNote] = []
        var now = way.now
        while ended.isEmpty, now - way.now < .hours(1) {
            now = try #require(collector.agenda(at: now))
            ended += notes(collector.handle(.woke(clock), at: now))
        }
        #expect(now - way.now == .minutes(15) + Interval(nanoseconds: 1))
        guard case .visit(let visit)? = ended.first else { return #expect(Bool(false), "no visit") }
        #expect(visit.left == left)
    }

    @Test(arguments: [LocationSettings.Mode.geofence, .visit, .standard])
    func aCrossingThatTakesLongToBeSureIsLookedAtForAsLong(mode: LocationSettings.Mode) throws {
        var (collector, way) = (makeCollector { ($0.mode, $0.dwell) = (mode, .hours(1)) }, Way())
        var told: [String] = []
        // An hour and more on either side; fixes come only while they are wanted.
        for place in [0.0, 600] {
            let end = way.now + .hours(3)
            while way.now < end {
                let fixes = way.stay(1, at: place)
                if collector.signals == .position {
                    told += events(tell(&collector, fixes))
                } else if let time = collector.agenda(at: way.now), time <= way.now {
                    told += events(collector.handle(.woke(clock), at: way.now))
                }
            }
        }
        #expect(told.filter { !$0.hasPrefix("visit") } == ["geofence_exited home"])
    }

    @Test func inARoomWithoutASignalTheReceiverIsTriedMoreAndMoreSeldom() {
        var collector = makeCollector()
        var (now, on) = (BootTime(nanoseconds: 0), Interval.zero)
        while let next = collector.agenda(at: now), next < BootTime(nanoseconds: 0) + .hours(10) {
            if collector.signals == .position { on = on + (next - now) }
            now = next
            _ = collector.handle(.woke(clock), at: now)
        }
        #expect(now > BootTime(nanoseconds: 0) + .hours(9) && on < .hours(2) && on > .minutes(30))
    }

    @Test func aVisitWithoutADateIsToldAndKeptWhenTheDateIsKnown() {
        var (collector, way) = (makeCollector(), Way())
        let undated = tell(&collector, way.stay(400), dated: false)
        #expect(events(undated) == ["visit home"] && notes(undated).isEmpty)
        #expect(notes(tell(&collector, way.stay(1))).count == 1)
    }

    @Test func inTheModeOfFencesThereAreNoVisits() {
        var (collector, way) = (makeCollector { $0.mode = .geofence }, Way())
        let effects = tell(&collector, way.stay(600) + way.go(to: 400, metresPerSecond: 2) + way.stay(100))
        #expect(events(effects) == ["geofence_exited home"] && notes(effects).isEmpty)
    }

    @Test func aGapOfAQuarterOfAnHourIsStillTheSameVisit() {
        for (minutes, visits) in [(Int64(14), 1), (16, 2)] {
            var (collector, way) = (makeCollector(), Way())
            var effects = tell(&collector, way.stay(400))
            way.pass(.minutes(minutes))
            effects += tell(&collector, way.stay(400))
            #expect(events(effects) == Array(repeating: "visit home", count: visits))
        }
    }

    @Test func aVisitWhoseArrivalACorrectedClockTellsAnewIsTheSame() {
        for shift in [Interval(nanoseconds: 1), .seconds(59), .zero - .seconds(59)] {
            var day = PlaceDay()
            let noon = WallTime(secondsSinceEpoch: 1_768_478_400)
            day.add(.visit(Visit(arrived: noon, left: nil, place: 7, position: nil)))
            day.add(.visit(Visit(arrived: noon + shift, left: noon + .hours(1), place: 7, position: nil)))
            #expect(day.visits.count == 1 && day.visits[0].left == noon + .hours(1))
        }
    }

    @Test func aDayOfPlacesComesBackAsItWas() throws {
        var day = PlaceDay()
        let noon = WallTime(secondsSinceEpoch: 1_768_478_400)
        day.add(.visit(Visit(arrived: noon, left: nil, place: 7, position: nil)))
        day.add(.passed(noon, Way.middle))
        day.add(.visit(Visit(arrived: noon - .hours(2), left: noon - .hours(1), place: 0, position: Way.place(9))))
        day.add(.visit(Visit(arrived: noon, left: noon + .minutes(9), place: 7, position: Way.middle)))
        #expect(try PlaceDay(day.bytes) == day && day.visits.map(\.place) == [0, 7] && day.visits[1].left != nil)
        for length in 0..<day.bytes.count {
            #expect(throws: Unpacker.Malformed.self) { try PlaceDay(Array(day.bytes.prefix(length))) }
        }
        day.narrow(to: .placeEvents)
        #expect(day.passed.isEmpty && day.visits.allSatisfy { $0.position == nil } && day.visits.count == 2)
    }
}
