import Commands
import System
import Core
import Store

/// A data point in the format of Open mHealth and IEEE 1752.1-2021: a header that describes it, and a body.
struct OpenMHealthPoint {
    /// The schema of a body.
    enum Schema: String {
        case stepCount = "omh:step-count:3.0"
        case heartRate = "omh:heart-rate:2.0"
        case sleepEpisode = "ieee:sleep-episode:1.0"
        case totalSleepTime = "ieee:total-sleep-time:1.0"

        fileprivate var parts: [Substring] { rawValue.split(separator: ":") }

        fileprivate var json: JSONObject {
            JSONObject(zip(["namespace", "name", "version"], parts).map { ($0, String($1)) })
        }
    }

    private let schema: Schema
    private let span: Range<WallTime>
    /// The name and value of the measure in the body, if it has one besides its time.
    private let measure: (name: String, value: Int64, unit: String)?
    /// How the value was made from several, if it was.
    private let statistic: String?
    private let origin: [UInt8]

    /// - Parameter origin: the boot in which it was sensed. It makes the ids of different devices differ.
    init(
        _ schema: Schema, in span: Range<WallTime>, _ measure: (name: String, value: Int64, unit: String)? = nil,
        statistic: String? = nil, origin: [UInt8]
    ) {
        self.schema = schema
        self.span = span
        self.measure = measure
        self.statistic = statistic
        self.origin = origin
    }

    var json: JSONObject {
        JSONObject(("header", header), ("body", body))
    }

    private var body: JSONObject {
        let interval = JSONObject(("start_date_time", span.lowerBound), ("end_date_time", span.upperBound))
        return JSONObject(
            (measure?.name ?? "", measure.map { JSONObject(("value", $0.value), ("unit", $0.unit)) }),
            ("effective_time_frame", JSONObject(("time_interval", interval))), ("descriptive_statistic", statistic))
    }

    /// Each namespace has a different header.
    private var header: JSONObject {
        let known = span.upperBound
        guard schema.parts[0] != "ieee" else {
            return JSONObject(
                ("uuid", id), ("schema_id", schema.json), ("source_creation_date_time", known), ("modality", "sensed"))
        }
        let provenance = JSONObject(
            ("source_name", "Anicca Edge"), ("source_creation_date_time", known), ("modality", "sensed"))
        return JSONObject(
            ("id", id), ("creation_date_time", known), ("schema_id", schema.json),
            ("acquisition_provenance", provenance))
    }

    /// A UUID of version 8 (RFC 9562 §5.8) derived from the content: the same point has the same id in every export.
    private var id: String {
        let content = "\(schema.rawValue)\n\(hexadecimal(origin))\n\(body)"
        var bytes = Array(Vault.sha256(Array(content.utf8)).prefix(16))
        bytes[6] = bytes[6] & 0x0F | 0x80
        bytes[8] = bytes[8] & 0x3F | 0x80
        return uuid(bytes)
    }
}
