import Domains
import LaterVersion
import Core
import Testing

@testable import Sensing

/// Looks at hardware that fails, in given times.
@Suite struct LookTests {
    @Test func waitDoublesUpToAnHour() {
        var wait = Retry()
        var now = BootTime(nanoseconds: 0)
        var waits: [Int64] = []
        for _ in 0..<9 {
            wait.failed(at: now)
            guard let due = wait.due else { break }
            wait.failed(at: now)
            #expect(wait.due == due, "an attempt before its time does not count")
            #expect(!wait.isDue(at: now) && wait.isDue(at: due))
            waits.append((due - now).inMinutes)
            now = due
        }
        #expect(waits == [1, 2, 4, 8, 16, 32, 60, 60, 60])
        wait.succeeded()
        #expect(wait.due == nil && wait == Retry())
    }

    @Test func failingLookIsRepeatedAtTheHardwareAndEndsWithAnAnswer() throws {
        let bench = try RegistryBench()
        let handler = try bench.handler(.steps)
        let now = instant().boot
        handler.currentStatus = .failing(reason: "busy")
        handler.hardware = .failing(reason: "busy")
        #expect(bench.registry.lookAtNodes(of: DomainSet(.steps), at: now).isEmpty)
        #expect(bench.registry.nextLook == now + .minutes(1))
        #expect(bench.registry.lookAgain(at: DomainSet(.steps), now: now + .seconds(59)).isEmpty)
        #expect(handler.requests == 0)
        #expect(bench.registry.lookAgain(at: DomainSet(.steps), now: now + .minutes(1)).isEmpty)
        #expect(handler.requests == 1)
        #expect(bench.registry.nextLook == now + .minutes(3))
        handler.hardware = .blocked(.refused, reason: "permission denied")
        #expect(
            bench.registry.lookAgain(at: DomainSet(.steps), now: now + .minutes(3)) == [
                DeviceLoss(
                    domain: .steps, obstacle: .refused,
                    reason: "permission denied; hint for denied because permission denied")
            ])
        #expect(bench.registry.nextLook == nil)
    }

    @Test func domainThatIsNotCollectedAnyMoreIsNotLookedAt() throws {
        let bench = try RegistryBench()
        try bench.handler(.steps).currentStatus = .failing(reason: "busy")
        _ = bench.registry.lookAtNodes(of: DomainSet(.steps), at: instant().boot)
        #expect(bench.registry.lookAgain(at: [], now: instant().boot).isEmpty)
        #expect(bench.registry.nextLook == nil)
    }

    @Test func onlyTheDomainsThatAreNamedAreLookedAt() throws {
        let bench = try RegistryBench(domains: Domain.withSleep)
        for handler in bench.handlers { handler.currentStatus = .blocked(.absent, reason: "gone") }
        #expect(bench.registry.lookAtNodes(of: DomainSet(.steps), at: instant().boot).map(\.domain) == [.steps])
        let losses = bench.registry.lookAtNodes(of: .everything, at: instant().boot)
        #expect(
            losses.map(\.domain).sorted { $0.id < $1.id } == [.motion, .steps, .sleep],
            "no others are collected")
    }
}
