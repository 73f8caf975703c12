import Core
import Testing

@Suite struct TimeTests {
    @Test func anInstantRelatesTheTwoClocks() {
        let now = Instant(boot: BootTime(nanoseconds: 1_000), wall: WallTime(nanoseconds: 50_000))
        #expect(now.wall(at: BootTime(nanoseconds: 400)) == WallTime(nanoseconds: 49_400))
        #expect(now.boot(at: WallTime(nanoseconds: 49_400)) == BootTime(nanoseconds: 400))
        #expect(now.boot(at: WallTime(nanoseconds: 0)).nanoseconds < 0)
    }

    @Test func intervalsRoundTowardsZero() {
        #expect(Interval.milliseconds(-1_500).inSeconds == -1)
        #expect(Interval.seconds(59).inMinutes == 0)
        #expect(Interval.minutes(3) / 2 == .seconds(90))
    }

    @Test func packedNumbersComeBackInOrder() throws {
        var packer = Packer()
        packer.put(Int64.min)
        packer.put(UInt8(255))
        packer.put(true)
        packer.put(Float(-0.25))
        packer.put(Int32(-7))
        var unpacker = Unpacker(packer.bytes)
        #expect(try unpacker.take(Int64.self) == .min)
        #expect(try unpacker.take(UInt8.self) == 255)
        #expect(try unpacker.takeBool())
        #expect(try unpacker.takeFloat() == -0.25)
        #expect(try unpacker.take(Int32.self) == -7)
        #expect(unpacker.isAtEnd)
    }

    @Test func packedBytesThatEndEarlyOrMakeNoSenseAreRefused() {
        var short = Unpacker([1, 2, 3])
        #expect(throws: Unpacker.Malformed.self) { try short.take(Int32.self) }
        var flag = Unpacker([2])
        #expect(throws: Unpacker.Malformed.self) { try flag.takeBool() }
        var notANumber = Unpacker([0, 0, 0xC0, 0x7F])
        #expect(throws: Unpacker.Malformed.self) { try notANumber.takeFloat() }
    }

    @Test(arguments: [Int64.min, -1, 2_000_000_000_000_000_000, .max])
    func anAmountThatCouldOverflowIsRefused(value: Int64) {
        var unpacker = Unpacker(packed(value))
        #expect(throws: Unpacker.Malformed.self) { try unpacker.takeAmount() }
    }

    @Test(arguments: [Int32.min, -106_752, 106_751, .max])
    func aDayThatNoClockShowsIsRefused(number: Int32) {
        var unpacker = Unpacker(packed(number))
        #expect(throws: Unpacker.Malformed.self) { try unpacker.takeDay() }
    }

    @Test(arguments: [Int64.min, -5_000_000_000_000_000_000, 7_000_000_000_000_000_000, Int64.max] as [Int64])
    func aTimeMoreThanACenturyAwayIsRefused(nanoseconds: Int64) {
        let times = RestoredTimes(shift: .hours(-1), now: BootTime(nanoseconds: 0))
        var unpacker = Unpacker(packed(nanoseconds))
        #expect(throws: Unpacker.Malformed.self) { try unpacker.takeTime(times) }
    }

    private func packed(_ value: some FixedWidthInteger) -> [UInt8] {
        var packer = Packer()
        packer.put(value)
        return packer.bytes
    }

    @Test func aTimeComesBackOnTheClockOfAnotherBoot() throws {
        let before = BootTime(nanoseconds: Interval.hours(30).nanoseconds)
        let after = BootTime(nanoseconds: Interval.minutes(1).nanoseconds)
        // One step at a time, for the type checker of Swift 6.0.
        let between: Interval = after - before
        let shift: Interval = between - Interval.minutes(2)
        let earlier: BootTime = before - Interval.minutes(5)
        var packer = Packer()
        packer.put(earlier)
        var unpacker = Unpacker(packer.bytes)
        let time = try unpacker.takeTime(RestoredTimes(shift: shift, now: after))
        #expect(after - time == .minutes(7))
    }

    @Test(arguments: [0, 1, -1, 63, 64, -64, -65, 1 << 40, Int64.max, Int64.min])
    func aShortNumberComesBack(value: Int64) throws {
        var packer = Packer()
        packer.put(short: value)
        #expect((packer.bytes.count == 1) == (-64...63).contains(value) && packer.bytes.count <= 10)
        var unpacker = Unpacker(packer.bytes)
        #expect(try unpacker.takeShort() == value && unpacker.isAtEnd)
    }

    @Test func otherBytesAreNoShortNumber() throws {
        var unfinished = Unpacker([0x80])
        #expect(throws: Unpacker.Malformed.self) { try unfinished.takeShort() }
        var tooLong = Unpacker([UInt8](repeating: 0xff, count: 10))
        #expect(throws: Unpacker.Malformed.self) { try tooLong.takeShort() }
        var negative = Unpacker([1])
        #expect(throws: Unpacker.Malformed.self) { try negative.takeShortAmount() }
    }
}
