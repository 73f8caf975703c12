import Daybook
import Delivery
import Quantities

extension Int64 {
    /// The value of a figure for people.
    func text(as type: SampleType) -> String {
        type == .wakeAt ? WallTime(secondsSinceEpoch: self).description : String(self)
    }
}

extension JSONObject {
    /// A figure under the name and in the form that it has in the daily record.
    mutating func put(figure type: SampleType, _ value: Int64) {
        if type == .wakeAt {
            put(type.description, value.text(as: type))
        } else {
            put(type.description, value)
        }
    }
}
