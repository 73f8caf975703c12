import Glibc
import Core

extension BootTime {
    /// The start time of a process (proc_pid_stat(5)), to a hundredth of a second; nil if the kernel does not give it.
    public init?(startOfProcess process: Int32) {
        // `try?`: the process has ended.
        guard let bytes = try? readFile("/proc/\(process)/stat", limit: 4096) else { return nil }
        let text = String(decoding: bytes, as: UTF8.self)
        // The program's name, in parentheses, may contain parentheses.
        guard let end = text.lastIndex(of: ")") else { return nil }
        let fields = text[text.index(after: end)...].split(separator: " ")
        let perSecond = Int64(sysconf(Int32(_SC_CLK_TCK)))
        guard fields.count > 19, let ticks = Int64(fields[19]), perSecond > 0, ticks >= 0 else { return nil }
        let (rest, seconds) = (ticks % perSecond, ticks / perSecond)
        guard seconds < 1 << 32 else { return nil }
        self.init(nanoseconds: seconds * 1_000_000_000 + rest * 1_000_000_000 / perSecond)
    }
}
