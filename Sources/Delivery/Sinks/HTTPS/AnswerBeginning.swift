import CCurl

/// The data kept of an answer while it arrives.
struct AnswerBeginning {
    private var length = 0
    /// The body, if it is short enough to hold a nudge; otherwise empty.
    private(set) var body: [UInt8] = []
    private var headerLength = 0
    /// Its first character cannot begin JSON (RFC 8259 §3): a web page, or compressed data.
    private(set) var isNoJSON = false
    /// The status of the latest answer (RFC 9112 §4), set at the empty line after its headers; nil before, and for an
    /// invalid status line. libcurl treats such a line as a 200, and a connection that ends within the headers as the
    /// end of an answer.
    private(set) var status: Int?
    private var statusOfPresentHead: Int?
    private var isInHead = false

    var isEmpty: Bool { length == 0 }
    var isCutOff: Bool { length > HTTPClient.answerLimit }
    var hasLongHeaders: Bool { headerLength > HTTPClient.headerLimit }

    /// A libcurl write callback (CURLOPT_WRITEFUNCTION(3)); the context is an `AnswerBeginning`. Any result but the
    /// count makes libcurl close the connection.
    static let receive: curl_write_callback = { bytes, size, count, context in
        guard let bytes, let beginning = context?.assumingMemoryBound(to: AnswerBeginning.self) else { return 0 }
        let piece = UnsafeRawBufferPointer(start: bytes, count: size * count)
        beginning.pointee.take(piece)
        return beginning.pointee.isCutOff ? 0 : piece.count
    }

    /// The same for a line of headers or trailers (CURLOPT_HEADERFUNCTION(3)).
    static let receiveLine: curl_write_callback = { bytes, size, count, context in
        guard let bytes, let beginning = context?.assumingMemoryBound(to: AnswerBeginning.self) else { return 0 }
        let line = UnsafeRawBufferPointer(start: bytes, count: size * count)
        beginning.pointee.take(line: line)
        return beginning.pointee.hasLongHeaders ? 0 : line.count
    }

    private mutating func take(line: UnsafeRawBufferPointer) {
        headerLength += line.count
        let isEnd = line.elementsEqual("\r\n".utf8) || line.elementsEqual("\n".utf8)
        // After the head of the final answer, only trailers follow.
        if !isInHead, !isEnd, status ?? 100 < 200 {
            status = nil
            statusOfPresentHead = Self.status(in: line)
            isInHead = true
        } else if isEnd, isInHead {
            status = statusOfPresentHead
            isInHead = false
        }
    }

    /// `HTTP/1.1 201 Created`, with or without a reason.
    private static func status(in line: UnsafeRawBufferPointer) -> Int? {
        let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
        guard line.count >= 12, line.starts(with: "HTTP/1.".utf8), digits.contains(line[7]),
            line[8] == UInt8(ascii: " "),
            line[9..<12].allSatisfy(digits.contains), line.count == 12 || !digits.contains(line[12])
        else { return nil }
        return line[9..<12].reduce(0) { $0 * 10 + Int($1 - digits.lowerBound) }
    }

    private mutating func take(_ piece: UnsafeRawBufferPointer) {
        if length == 0, let first = piece.first(where: { $0 > UInt8(ascii: " ") }) {
            isNoJSON = !"{[\"-0123456789tfn".utf8.contains(first)
        }
        length += piece.count
        if length <= NudgeAnswer.longest { body += piece } else { body = [] }
    }
}
