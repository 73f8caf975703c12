import Program
import Quantities
import Vault

/// A data point as Open mHealth and IEEE 1752.1-2021 have it: a header that tells what it is, and a body.
struct OpenMHealthPoint {
    /// The schema of a body.
    enum Schema: String {
        case stepCount = "omh:step-count:3.0"
        case sleepEpisode = "ieee:sleep-episode:1.0"
        case totalSleepTime = "ieee:total-sleep-time:1.0"

        fileprivate var parts: [Substring] { rawValue.split(separator: ":") }

        fileprivate var json: JSONObject {
            var json = JSONObject()
            for (key, part) in zip(["namespace", "name", "version"], parts) { json.put(key, String(part)) }
            return json
        }
    }

    private let schema: Schema
    private let span: Range<WallTime>
    /// The name and the value of the measure in the body, if it has one beside its time.
    private let measure: (name: String, value: Int64, unit: String)?
    private let origin: [UInt8]

    /// - Parameter origin: the boot it was sensed in. Other devices have others, so that their points have other ids.
    init(
        _ schema: Schema, in span: Range<WallTime>, _ measure: (name: String, value: Int64, unit: String)? = nil,
        origin: [UInt8]
    ) {
        self.schema = schema
        self.span = span
        self.measure = measure
        self.origin = origin
    }

    var json: JSONObject {
        var json = JSONObject()
        json.put("header", header)
        json.put("body", body)
        return json
    }

    private var body: JSONObject {
        var interval = JSONObject()
        interval.put("start_date_time", span.lowerBound.description)
        interval.put("end_date_time", span.upperBound.description)
        var frame = JSONObject()
        frame.put("time_interval", interval)
        var json = JSONObject()
        if let measure {
            var quantity = JSONObject()
            quantity.put("value", measure.value)
            quantity.put("unit", measure.unit)
            json.put(measure.name, quantity)
        }
        json.put("effective_time_frame", frame)
        return json
    }

    /// Each namespace has a header of its own.
    private var header: JSONObject {
        let known = span.upperBound.description
        var json = JSONObject()
        if schema.parts[0] == "ieee" {
            json.put("uuid", id)
            json.put("schema_id", schema.json)
            json.put("source_creation_date_time", known)
            json.put("modality", "sensed")
        } else {
            var provenance = JSONObject()
            provenance.put("source_name", "Anicca Edge")
            provenance.put("source_creation_date_time", known)
            provenance.put("modality", "sensed")
            json.put("id", id)
            json.put("creation_date_time", known)
            json.put("schema_id", schema.json)
            json.put("acquisition_provenance", provenance)
        }
        return json
    }

    /// A UUID of version 8 (RFC 9562 §5.8) made of the content: the same point has the same id in every export.
    private var id: String {
        let content = "\(schema.rawValue)\n\(hexadecimal(origin))\n\(body)"
        var bytes = Array(Vault.sha256(Array(content.utf8)).prefix(16))
        bytes[6] = bytes[6] & 0x0F | 0x80
        bytes[8] = bytes[8] & 0x3F | 0x80
        let groups = [bytes[0..<4], bytes[4..<6], bytes[6..<8], bytes[8..<10], bytes[10..<16]]
        return groups.map { hexadecimal(Array($0)) }.joined(separator: "-")
    }
}
