import Commands
import Domains
import System

extension ExportContents {
    /// `omh-heart-rate.json`
    func heartRates() throws -> [JSONObject] { try sensed.compactMap(\.heartRate).map(\.json) }
}

extension SensedQuarter {
    /// The median of the checks in it; nil without any. Their times in it are not stored.
    var heartRate: OpenMHealthPoint? {
        let amounts = dated.quarter.amounts.filter { $0.figure == Figure.heartRate.id && $0.value > 0 }
        let rates = amounts.map(\.value).sorted()
        guard !rates.isEmpty else { return nil }
        return OpenMHealthPoint(
            .heartRate, in: span, ("heart_rate", rates[(rates.count - 1) / 2], "beats/min"), statistic: "median",
            origin: origin)
    }
}
