import CCurl

/// The facts that are kept of an answer while it arrives.
struct AnswerBeginning {
    private var length = 0
    private var headerLength = 0
    /// Its first character could begin no JSON (RFC 8259 §3): a page, or something packed.
    private(set) var isNoJSON = false
    /// The empty line behind the headers of the latest answer was there. libcurl takes a connection that ends before it for the end
    /// of an answer.
    private(set) var hasWholeHead = false

    var isEmpty: Bool { length == 0 }
    var isCutOff: Bool { length > HTTPClient.answerLimit }
    var hasLongHeaders: Bool { headerLength > HTTPClient.headerLimit }

    /// A libcurl write callback (CURLOPT_WRITEFUNCTION(3)); the context is an `AnswerBeginning`. Whatever it returns but the
    /// count makes libcurl hang up.
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
        if line.starts(with: "HTTP/".utf8) { hasWholeHead = false }
        if line.elementsEqual("\r\n".utf8) || line.elementsEqual("\n".utf8) { hasWholeHead = true }
    }

    private mutating func take(_ piece: UnsafeRawBufferPointer) {
        if length == 0, let first = piece.first(where: { $0 > UInt8(ascii: " ") }) {
            isNoJSON = !"{[\"-0123456789tfn".utf8.contains(first)
        }
        length += piece.count
    }
}
