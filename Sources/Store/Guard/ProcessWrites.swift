import Glibc

/// The amount of data that this process passed to the kernel for writing, to measure the store's wear on a memory card.
public enum ProcessWrites {
    /// Bytes passed to write(2) and similar calls since the process began (`wchar`, proc_pid_io(5)); nil if the kernel
    /// does not account for it. Pages written through a memory map are not included: SQLite's `-shm` never needs to
    /// reach the card.
    public static func total() -> Int64? {
        guard let file = fopen("/proc/self/io", "re") else { return nil }
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 64)
        while fgets(&line, Int32(line.count), file) != nil {
            let text = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
            guard text.hasPrefix("wchar: ") else { continue }
            return Int64(text.dropFirst(7).filter { $0 != "\n" })
        }
        return nil
    }
}
