import Quantities
import Testing

@testable import Consent
import Domains

/// Rule 6: the structural work follows a toggle after the settle time.
struct CollectedDomainsTests {
    private func time(_ milliseconds: Int64) -> BootTime {
        BootTime(nanoseconds: 0) + .milliseconds(milliseconds)
    }

    private func open(_ domain: Domain, since number: Int64 = 1) -> CollectedDomains {
        var collection = CollectedDomains(settleTime: .milliseconds(220))
        #expect(collection.follow(domain, .on(since: number), at: time(0)) == [.open(domain)])
        return collection
    }

    @Test func aToggleThatStaysOffIsSettledAfter220Milliseconds() {
        var collection = open(.motion)
        #expect(collection.follow(.motion, .off, at: time(1000)) == [])
        #expect(collection.settlesAt == time(1220))
        #expect(collection.follow(.motion, .off, at: time(1219)) == [])
        #expect(collection.domains == DomainSet(.motion))
        #expect(collection.follow(.motion, .off, at: time(1220)) == [.close(.motion)])
        #expect(collection.domains == [])
        #expect(collection.settlesAt == nil)
    }

    @Test func aFlickChangesNothing() {
        var collection = open(.motion)
        _ = collection.follow(.motion, .off, at: time(1000))
        #expect(collection.follow(.motion, .on(since: 1), at: time(1219)) == [])
        #expect(collection.settlesAt == nil)
        #expect(collection.domains == DomainSet(.motion))
    }

    @Test func aWithdrawalDoesNotWait() {
        var collection = open(.motion)
        #expect(collection.follow(.motion, .withdrawn, at: time(1000)) == [.close(.motion)])
        collection = open(.motion)
        _ = collection.follow(.motion, .off, at: time(1000))
        #expect(collection.follow(.motion, .withdrawn, at: time(1001)) == [.close(.motion)])
    }

    @Test func anOffThatNobodySawIsMadeUpFor() {
        var collection = open(.steps, since: 3)
        #expect(collection.follow(.steps, .on(since: 7), at: time(1000)) == [.close(.steps), .open(.steps)])
        #expect(collection.follow(.steps, .on(since: 7), at: time(1001)) == [])
    }

    @Test func theEarliestOfSeveralSettlesFirst() {
        var collection = open(.motion)
        _ = collection.follow(.steps, .on(since: 2), at: time(0))
        _ = collection.follow(.steps, .off, at: time(100))
        _ = collection.follow(.motion, .off, at: time(200))
        #expect(collection.settlesAt == time(320))
        #expect(collection.follow(.steps, .off, at: time(320)) == [.close(.steps)])
        #expect(collection.settlesAt == time(420))
    }

    @Test func whatIsOffStaysClosed() {
        var collection = CollectedDomains(settleTime: .zero)
        for domain in Domain.all {
            #expect(collection.follow(domain, .off, at: time(0)) == [])
            #expect(collection.follow(domain, .withdrawn, at: time(0)) == [])
        }
    }
}
