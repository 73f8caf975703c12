/// The ten lines before the table in a raw export of ActiGraph's ActiLife.
struct ActiLifePreamble {
    /// Samples a second.
    let hertz: Double
    let dateOrder: DateOrder

    static let longest = 20

    /// Nil if the line is not the first of such an export: `------------ Data File Created By ActiGraph GT3X+ ActiLife
    /// v6.13.3 Firmware v2.5.0 date format M/d/yyyy at 30 Hz Filter Normal -----------`.
    init?(firstLine: Bytes) {
        let words = String(decoding: firstLine, as: UTF8.self).split(separator: " ")
        guard words.first?.hasPrefix("---") == true, words.contains("ActiGraph"), let unit = words.firstIndex(of: "Hz"),
            unit > 0, let hertz = Double(words[unit - 1]), hertz > 0, hertz <= 1_000
        else { return nil }
        self.hertz = hertz
        let format = words.firstIndex(of: "format")
        dateOrder = format.flatMap { $0 + 1 < words.count ? DateOrder(actiLife: words[$0 + 1]) : nil } ?? .yearMonthDay
    }
}
