import Domains
import Quantities

extension Int64 {
    /// The value of a figure for people.
    func text(as figure: Figure) -> String {
        switch figure.form {
        case .number: String(self)
        case .time: WallTime(secondsSinceEpoch: self).description
        }
    }
}
