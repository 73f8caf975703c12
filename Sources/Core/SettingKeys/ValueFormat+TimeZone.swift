extension ValueFormat<String> {
    /// Letters, digits and a few marks, so that no name leads out of the database.
    public static var timeZone: ValueFormat {
        ValueFormat(
            allowed: "a name of the time-zone database such as Europe/Berlin",
            parse: { text in
                let isName = text.utf8.allSatisfy { byte in
                    isDigit(byte) || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
                        || "/_+-".utf8.contains(byte)
                }
                return isName && !text.isEmpty && text.utf8.count <= 64 && text.utf8.first != UInt8(ascii: "/")
                    ? text : nil
            },
            format: { $0 })
    }
}
