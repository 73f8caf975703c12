import CLinux
import Glibc

/// The memory mappings of the program's own code and its libraries.
public enum MappedCode {
    /// Unmaps every page of code that was touched so far. Code that runs again is mapped again from the page cache,
    /// without reading the card.
    ///
    /// Call it after rare work of a long-lived program, such as starting, reading its config or ending a day: its code
    /// would stay part of the program's memory for ever. The pages stay in the kernel's page cache, which is released
    /// when memory is short. The heap is trimmed too.
    /// Takes some microseconds. Nothing is lost: only read-only, executable segments are released (madvise(2),
    /// MADV_DONTNEED: file-backed private pages are read from the file again).
    ///
    /// - Throws: if `/proc/self/maps` cannot be read; then nothing was unmapped, which is harmless.
    public static func release() throws(FileError) {
        let maps = try readFile("/proc/self/maps", limit: 1 << 20)
        for line in maps.split(separator: UInt8(ascii: "\n")) {
            guard let range = codeRange(of: line) else { continue }
            // On failure the pages stay mapped, which is harmless.
            madvise(UnsafeMutableRawPointer(bitPattern: range.lowerBound), range.count, MADV_DONTNEED)
        }
        // Freed memory is returned to the kernel as well (malloc_trim(3)).
        malloc_trim(0)
    }

    /// The addresses of a mapping such as `55d0c8a00000-55d0c8f2c000 r-xp 00001000 08:01 1234  /usr/bin/aniccad`
    /// (proc_pid_maps(5)); nil for a mapping that is not code of a file.
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
