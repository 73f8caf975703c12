import System
import Glibc

/// The first 100 bytes of the file (sqlite.org/fileformat.html §1.3). They are not authenticated, so our store is
/// recognised by its sealed rows, and differences in its header are damage.
struct StoreHeader {
    static let length = 100

    var bytes: [UInt8]

    /// Nil for a file that is shorter, or unreadable.
    init?(path: String) {
        // `try?`: the fault was reported before.
        guard let file = try? openFile(path, O_RDONLY, privacy: .own) else { return nil }
        defer { close(file) }
        bytes = [UInt8](repeating: 0, count: StoreHeader.length)
        guard read(file, &bytes, bytes.count) == bytes.count else { return nil }
    }

    /// The fixed values in every store of ours: name, page size, log, format, encoding.
    private static let fixed: [(offset: Int, bytes: [UInt8])] = [
        (0, Array("SQLite format 3\0".utf8)), (16, [4, 0, 2, 2, 0, 64, 32, 32]), (44, [0, 0, 0, 4]),
        (52, [0, 0, 0, 0, 0, 0, 0, 1]), (64, [0, 0, 0, 0]), (72, [UInt8](repeating: 0, count: 20)),
    ]

    var isOfStore: Bool {
        StoreHeader.fixed.allSatisfy { field in
            bytes[field.offset..<field.offset + field.bytes.count].elementsEqual(field.bytes)
        }
    }

    /// Rebuilds the header for a store of ours with this number of pages.
    mutating func repair(pages: Int) {
        for field in StoreHeader.fixed {
            bytes.replaceSubrange(field.offset..<field.offset + field.bytes.count, with: field.bytes)
        }
        for (index, shift) in [24, 16, 8, 0].enumerated() {
            bytes[28 + index] = UInt8(truncatingIfNeeded: pages >> shift)
            // SQLite uses the size only if both change counters are equal. There may be no free list.
            bytes[92 + index] = bytes[24 + index]
        }
    }
}
