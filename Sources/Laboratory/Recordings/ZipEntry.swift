import CLinux
import Glibc

/// The table in a ZIP archive, such as one exported by phyphox: the first CSV file outside a folder `meta`.
///
/// Read through the central directory (PKWARE, APPNOTE.TXT 6.3, sections 4.3.6 to 4.3.16). A deflated entry becomes a
/// gzip stream by adding a header and a trailer (RFC 1952), so that zlib inflates it and verifies its checksum.
struct ZipEntry {
    static let signature: [UInt8] = [0x50, 0x4B, 3, 4]

    private let isDeflated: Bool
    private let sum: UInt32
    private let size: UInt32
    private let packedSize: Int
    private let header: Int

    /// A file in memory that contains the entry, plain or gzip, positioned at its start; the caller owns the
    /// descriptor.
    /// - Parameter archive: a descriptor of the whole archive, which stays open.
    static func open(in archive: Int32) throws(ZipFault) -> Int32 {
        let entry = try find(in: archive)
        let copy = anicca_memory_file("recording")
        guard copy >= 0 else { throw ZipFault(String(cString: strerror(errno))) }
        do throws(ZipFault) {
            try entry.write(from: archive, to: copy)
        } catch {
            close(copy)
            throw error
        }
        lseek(copy, 0, SEEK_SET)
        return copy
    }

    private static let endSignature: [UInt8] = [0x50, 0x4B, 5, 6]
    private static let directorySignature: [UInt8] = [0x50, 0x4B, 1, 2]
    private static let endLength = 22
    private static let longestComment = 65_535
    /// The most bytes of the directory, and of a compressed entry.
    private static let most = (directory: 1 << 20, entry: 1 << 30)

    private static func find(in archive: Int32) throws(ZipFault) -> ZipEntry {
        let length = Int(lseek(archive, 0, SEEK_END))
        let tail = try read(archive, at: max(0, length - endLength - longestComment), upTo: endLength + longestComment)
        let places = stride(from: tail.count - endLength, through: 0, by: -1)
        guard let end = places.first(where: { tail[$0...].starts(with: endSignature) }) else {
            throw ZipFault("it has no end; copy the file again")
        }
        let (size, start) = (Int(tail.number(4, at: end + 12)), Int(tail.number(4, at: end + 16)))
        guard size <= most.directory, start <= length else { throw ZipFault("its directory is too large") }
        let directory = try read(archive, at: start, upTo: size)
        var place = 0
        while place + 46 <= directory.count, directory[place...].starts(with: directorySignature) {
            let lengths = [28, 30, 32].map { Int(directory.number(2, at: place + $0)) }
            let next = place + 46 + lengths.reduce(0, +)
            guard next <= directory.count else { break }
            let name = String(decoding: directory[(place + 46)..<(place + 46 + lengths[0])], as: UTF8.self).lowercased()
            if name.hasSuffix(".csv"), !name.hasPrefix("meta/"), !name.hasPrefix("__macosx/") {
                return try ZipEntry(directory, at: place)
            }
            place = next
        }
        throw ZipFault("there is no CSV file in it")
    }

    private init(_ directory: [UInt8], at place: Int) throws(ZipFault) {
        let method = directory.number(2, at: place + 10)
        guard directory.number(2, at: place + 8) & 1 == 0 else {
            throw ZipFault("it is encrypted; export it without a password")
        }
        guard method == 0 || method == 8 else { throw ZipFault("it is packed by method \(method); unpack it") }
        isDeflated = method == 8
        sum = UInt32(directory.number(4, at: place + 16))
        packedSize = Int(directory.number(4, at: place + 20))
        size = UInt32(directory.number(4, at: place + 24))
        header = Int(directory.number(4, at: place + 42))
        guard packedSize <= Self.most.entry else { throw ZipFault("the table in it is too large; unpack it") }
    }

    private func write(from archive: Int32, to copy: Int32) throws(ZipFault) {
        let head = try Self.read(archive, at: header, upTo: 30)
        guard head.count == 30, head.starts(with: Self.signature) else {
            throw ZipFault("it is damaged; copy the file again")
        }
        var place = header + 30 + Int(head.number(2, at: 26)) + Int(head.number(2, at: 28))
        var rest = packedSize
        if isDeflated { try Self.write([0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 255], to: copy) }
        while rest > 0 {
            let part = try Self.read(archive, at: place, upTo: min(rest, 1 << 16))
            guard !part.isEmpty else { throw ZipFault("it is cut off; copy the file again") }
            try Self.write(part, to: copy)
            place += part.count
            rest -= part.count
        }
        if isDeflated { try Self.write(sum.littleEndianBytes + size.littleEndianBytes, to: copy) }
    }

    private static func read(_ archive: Int32, at place: Int, upTo count: Int) throws(ZipFault) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        let found = bytes.withUnsafeMutableBytes { pread(archive, $0.baseAddress, count, off_t(place)) }
        guard found >= 0 else { throw ZipFault(String(cString: strerror(errno))) }
        return Array(bytes.prefix(found))
    }

    private static func write(_ bytes: [UInt8], to copy: Int32) throws(ZipFault) {
        let written = bytes.withUnsafeBytes { Glibc.write(copy, $0.baseAddress, $0.count) }
        guard written == bytes.count else { throw ZipFault(String(cString: strerror(errno))) }
    }
}

/// The reason why an archive has no usable table.
struct ZipFault: Error {
    let reason: String

    init(_ reason: String) { self.reason = reason }
}

extension [UInt8] {
    /// An unsigned number, least significant byte first.
    fileprivate func number(_ count: Int, at place: Int) -> UInt64 {
        self[place..<(place + count)].reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }
}

extension UInt32 {
    fileprivate var littleEndianBytes: [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: self >> ($0 * 8)) } }
}
