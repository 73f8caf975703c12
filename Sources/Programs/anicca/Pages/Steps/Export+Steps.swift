import Commands
import Domains
import System

extension ExportContents {
    /// `omh-step-count.json`
    func stepCounts() throws -> [JSONObject] { try sensed.compactMap(\.stepCount).map(\.json) }
}

extension SensedQuarter {
    /// Nil if steps were not counted.
    var stepCount: OpenMHealthPoint? {
        amount(of: .steps).map { steps in
            OpenMHealthPoint(.stepCount, in: span, ("step_count", steps, "steps"), origin: origin)
        }
    }
}
