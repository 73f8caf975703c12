import Quantities
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
}
