import Commands
import Config
import Domains
import Store
import System
import Core

/// The output of `anicca` about one domain, besides its toggle, figures and events. A domain without any needs no page.
struct Page: Sendable {
    let domain: Domain
    /// The names of its figures: as a heading in `why`, at most six letters so that all columns fit, and in a sentence
    /// or table of `report`.
    var words: [Figure: (heading: String, name: String)] = [:]
    /// The figures that `report` shows as bars, day by day.
    var bars: [Figure] = []
    /// A section of `status` after today's figures; nil for none.
    var today: @Sendable (StatusMoment) throws -> Section? = { _ in nil }
    /// A section of `status` after the delivery; nil for none.
    var status: @Sendable (StatusMoment) throws -> Section? = { _ in nil }
    /// Its own checks of `doctor`; `Diagnostics` has the checks shared by domains.
    var checks: @Sendable (Diagnostics) -> [CheckResult] = { _ in [] }
    /// Its own files for `export`.
    var files: [ExportPart] = []
    /// The files added by `export --open-mhealth`.
    var openMHealth: [ExportPart] = []
    /// The questions of `setup` once the domain was turned on, besides that of consent.
    var setUp: @Sendable (Ledger, Prompt) throws(LedgerError) -> Void = { _, _ in }

    /// In the order of setting up a device, which is also that of the checks. A new one is a file beside this one, and
    /// one line here.
    static let all: [Page] = [
        .steps,
        .motion,
        .sleep,
        .walks,
        .screenTime,
        .phone,
        .alarm,
        .location,
        .floors,
        .heart,
    ]
}

/// The moment described by `status`.
struct StatusMoment {
    let ledger: Ledger
    let settings: Settings
    let now: Instant
    /// Nil while the date is unknown.
    let day: UTCDay?
}

extension Domain {
    var page: Page { Page.all.first { $0.domain == self } ?? Page(domain: self) }
}

extension Figure {
    /// Its name, if its domain's page has no words for it.
    var words: (heading: String, name: String) {
        domain.page.words[self] ?? (String(description.prefix(6)), description)
    }
}
