import Commands
import Domains

extension Page {
    static let heart = Page(
        domain: .heart,
        words: [.restingHeartRate: ("rest/m", "beats a minute at rest"), .heartRate: ("beat/m", "beats a minute")],
        bars: [.restingHeartRate],
        openMHealth: [ExportPart("omh-heart-rate.json") { try $0.heartRates().listing }])
}
