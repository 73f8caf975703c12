import Domains
import Core
import Testing

@testable import Sensing

/// A stored state that is narrowed while no daemon runs.
@Suite struct NarrowingTests {
    @Test func whatTheDaemonLeftBehindLosesItsCoordinates() throws {
        var harness = SessionHarness(from: WallTime(secondsSinceEpoch: 1_768_435_200))
        harness.allow(.location, .steps)
        let place = try #require(Coordinates(latitude: 1.5, longitude: 2.5))
        for _ in 0..<6 {
            harness.run(for: .seconds(1))
            harness.deliver(.fixes([Fix(at: harness.now.boot, place, error: 5, speed: 0, wall: harness.now.wall)]))
        }
        let checkpoint = harness.session.checkpoint(at: harness.now)
        #expect(holds(checkpoint, place))
        let narrowed = try #require(
            SensingSession.narrowing(.location, to: .placeEvents, in: checkpoint, at: harness.now))
        #expect(!holds(narrowed, place))
        let same = try #require(
            SensingSession.narrowing(.location, to: Domain.location.wholeScope, in: checkpoint, at: harness.now))
        #expect(holds(same, place))
        #expect(SensingSession.narrowing(.location, to: .placeEvents, in: [0xFF], at: harness.now) == nil)
    }

    private func holds(_ checkpoint: [UInt8], _ place: Coordinates) -> Bool {
        var packer = Packer()
        packer.put(place.latitude.bitPattern)
        let bytes = packer.bytes
        return checkpoint.indices.contains { checkpoint[$0...].starts(with: bytes) }
    }
}
