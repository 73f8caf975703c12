import Domains
import Testing

@testable import anicca

@Suite struct PageTests {
    @Test func aDomainHasOnePageAtMost() {
        let domains = Page.all.map(\.domain)
        #expect(Set(domains).count == domains.count)
        #expect(domains.allSatisfy(Domain.all.contains))
    }

    @Test func aPageHasWordsForFiguresOfItsDomainAlone() {
        for page in Page.all { #expect(page.words.keys.allSatisfy { $0.domain == page.domain }, "\(page.domain)") }
    }

    @Test func columnsOfFiguresAreNarrowAndTheirWordsDiffer() {
        let words = Figure.shown.map(\.words)
        #expect(words.allSatisfy { (1...6).contains($0.heading.count) && !$0.name.isEmpty })
        #expect(Set(words.map(\.heading)).count == words.count && Set(words.map(\.name)).count == words.count)
    }

    @Test func filesOfTheExportHaveDifferentNames() {
        let names = ExportContents.parts(withOpenMHealth: true).map(\.name) + ["manifest.json"]
        #expect(Set(names).count == names.count)
    }
}
