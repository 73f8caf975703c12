import Foundation
import Testing

/// What people read about the keys is made from their table; with `ANICCA_WRITE_PAGES` set, it is written.
@Suite struct ReferencePageTests {
    @Test(arguments: ReferencePage.all)
    func thePageHasTheKeysAsTheTableHasThem(page: ReferencePage) throws {
        let committed = try page.committed
        let made = try #require(page.made(from: committed), "\(page.path) lacks the marks of the part with the keys")
        guard made != committed else { return }
        if ProcessInfo.processInfo.environment["ANICCA_WRITE_PAGES"] != nil {
            try page.write(made)
        } else {
            Issue.record("\(page.path) differs from the table of keys; run: make config-pages")
        }
    }
}
