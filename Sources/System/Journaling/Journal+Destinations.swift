import Glibc

extension Journal {
    /// The systemd journal when the standard error stream leads there, else plain lines on that stream, coloured
    /// on a terminal unless `NO_COLOR` is set (no-color.org).
    ///
    /// - Parameter time: the beginning of plain lines. The journal stores the time of every entry itself.
    public static func standard(identifier: String, time: (() -> String)? = nil) -> Journal {
        if leadsToJournal(STDERR_FILENO, environmentValue("JOURNAL_STREAM")) {
            return Journal(identifier: identifier) { entry in
                if !sendToJournal(entry) { writeLine(entry.plainLine(at: time?()), to: STDERR_FILENO) }
            }
        }
        let coloured = isatty(STDERR_FILENO) == 1 && (environmentValue("NO_COLOR") ?? "").isEmpty
        return plain(identifier: identifier, descriptor: STDERR_FILENO, coloured: coloured, time: time)
    }

    /// Plain lines on a descriptor, which the caller owns.
    public static func plain(
        identifier: String, descriptor: Int32, coloured: Bool = false, time: (() -> String)? = nil
    ) -> Journal {
        Journal(identifier: identifier) { entry in
            writeLine(entry.plainLine(coloured: coloured, at: time?()), to: descriptor)
        }
    }

    /// Whether `stream`, the value of `JOURNAL_STREAM`, names the descriptor's file: device and inode number, with a
    /// colon between (systemd.exec(5), "JOURNAL_STREAM"). A program whose stream was redirected may have inherited
    /// another's value.
    static func leadsToJournal(_ descriptor: Int32, _ stream: String?) -> Bool {
        var status = stat()
        guard let stream, fstat(descriptor, &status) == 0 else { return false }
        return stream == "\(status.st_dev):\(status.st_ino)"
    }
}

/// Delays the program's exit by 20 ms after its last entry. journald determines an entry's unit from the process that
/// wrote it, when it reads the entry (systemd.journal-fields(7), "_SYSTEMD_UNIT"). A process that has ended by then has
/// no unit, and `journalctl -u` does not show its entry (systemd issue 2913).
private let lastEntryIsRead: Void = {
    atexit { usleep(20_000) }
}()

private func environmentValue(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }

/// The socket at which journald takes entries with fields (systemd.io/JOURNAL_NATIVE_PROTOCOL).
private let journalSocket = UnixAddress("/run/systemd/journal/socket")

/// Returns false if the journal did not accept the entry, for instance because it exceeds the kernel's buffer.
private func sendToJournal(_ entry: JournalEntry) -> Bool {
    _ = lastEntryIsRead
    return journalSocket?.send(entry.journalMessage) ?? false
}

/// Writes a line to a descriptor, in one write if possible, so that lines of several programs do not mix. A line that
/// cannot be written is lost.
public func writeLine(_ line: String, to descriptor: Int32) {
    _ = writeAll(Array((line + "\n").utf8), to: descriptor)
}
