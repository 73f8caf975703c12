import Commands
import Config
import Domains
import Store
import System
import Core

/// What `anicca` shows of one domain beside its toggle, its figures and its events. A domain that has none of it needs no page.
struct Page: Sendable {
    let domain: Domain
    /// The words of its figures: at the head of a column of `why`, six letters at most so that all columns fit beside one another, and in a
    /// sentence or table of `report`.
    var words: [Figure: (heading: String, name: String)] = [:]
    /// A section of `status` behind today's figures; nil where there is nothing to say.
    var today: @Sendable (StatusMoment) throws -> Section? = { _ in nil }
    /// A section of `status` behind the delivery; nil where there is nothing to say.
    var status: @Sendable (StatusMoment) throws -> Section? = { _ in nil }
    /// Its own checks of `doctor`; those of what several domains share are `Diagnostics`'.
    var checks: @Sendable (Diagnostics) -> [CheckResult] = { _ in [] }
    /// Its own files of `export`.
    var files: [ExportPart] = []
    /// Those that `export --open-mhealth` adds.
    var openMHealth: [ExportPart] = []

    /// In the order in which a device is set up, which is that of the checks. A new one is a file beside this one, and one line here.
    static let all: [Page] = [
        .steps,
        .motion,
        .sleep,
        .screenTime,
        .alarm,
        .location,
    ]
}

/// The moment of which `status` tells.
struct StatusMoment {
    let ledger: Ledger
    let settings: Settings
    let now: Instant
    /// Nil while the date is not known.
    let day: UTCDay?
}

extension Domain {
    var page: Page { Page.all.first { $0.domain == self } ?? Page(domain: self) }
}

extension Figure {
    /// Its name, where its domain has no words for it.
    var words: (heading: String, name: String) {
        domain.page.words[self] ?? (String(description.prefix(6)), description)
    }
}
