import CLinux
import Glibc

/// The program's own code and that of its libraries, as it is mapped into memory.
public enum MappedCode {
    /// Unmaps every page of code that was touched so far. Code that runs again is mapped again at its next call, from
    /// the page cache and without reading the card.
    ///
    /// To be called when a long-lived program has done what it seldom does, such as starting, reading its config or ending a day: the
    /// code for it would count as the program's memory for ever. The pages stay in the kernel's page cache, which gives them up when
    /// memory is short; and the heap, which keeps what it once needed, shrinks.
    /// Takes some microseconds. Nothing is lost: only read-only, executable segments are given back (madvise(2),
    /// MADV_DONTNEED: file-backed private pages are read from the file again).
    ///
    /// - Throws: when `/proc/self/maps` cannot be read; then nothing was unmapped, which does no harm.
    public static func release() throws(FileError) {
        let maps = try readFile("/proc/self/maps", limit: 1 << 20)
        for line in maps.split(separator: UInt8(ascii: "\n")) {
            guard let range = codeRange(of: line) else { continue }
            // A refusal leaves the pages mapped, which does no harm.
            madvise(UnsafeMutableRawPointer(bitPattern: range.lowerBound), range.count, MADV_DONTNEED)
        }
        // Freed memory goes back as well (malloc_trim(3)).
        malloc_trim(0)
    }

    /// The addresses of a mapping such as `55d0c8a00000-55d0c8f2c000 r-xp 00001000 08:01 1234  /usr/bin/aniccad`
    /// (proc_pid_maps(5)); nil for one that is not code of a file.
    private static func codeRange(of line: ArraySlice<UInt8>) -> Range<UInt>? {
        let fields = line.split(separator: UInt8(ascii: " "))
        guard fields.count >= 6, fields[1].elementsEqual("r-xp".utf8), fields[5].first == UInt8(ascii: "/") else {
            return nil
        }
        let ends = fields[0].split(separator: UInt8(ascii: "-"))
        guard ends.count == 2, let start = UInt(String(decoding: ends[0], as: UTF8.self), radix: 16),
            let end = UInt(String(decoding: ends[1], as: UTF8.self), radix: 16), start < end
        else { return nil }
        return start..<end
    }
}
