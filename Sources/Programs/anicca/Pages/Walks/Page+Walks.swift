import Commands
import Domains
import Store

extension Page {
    static let walks = Page(
        domain: .walks,
        words: [
            .distance: ("metres", "metres"), .walkingCadence: ("pace", "steps a minute"),
            .activeEnergy: ("kcal", "kcal active"), .workouts: ("walks", "workouts"),
        ],
        bars: [.distance, .walkingCadence, .activeEnergy],
        files: [
            ExportPart("wearer.json") { contents in
                let profile = try contents.readable { () throws(LedgerError) in
                    try contents.ledger.book(WearerProfile.self)
                }
                return (profile ?? WearerProfile()).json.description
            }
        ],
        setUp: { ledger, prompt throws(LedgerError) in
            var profile = try ledger.book(WearerProfile.self)
            let before = profile
            profile.ask(in: prompt)
            if profile != before { _ = try ledger.changeBook(WearerProfile.self) { $0 = profile } }
        })
}
