import Domains
import System
import Glibc
import Core

/// The directory for the phone's reports. Members of its group may add files, and no more.
///
/// Its content is untrusted: names are resolved only below the open directory, links are not followed, and reads do not
/// block. A file that is not a report moves into the subdirectory `rejected`, which keeps the latest few. A file that
/// is too large or not regular is deleted.
public final class CompanionInbox: ReportInbox {
    public let directory: String
    private let descriptor: Int32
    private let socket: BellSocket?
    /// The files that were read, by name. They are deleted once their reports are stored.
    private var read: [[CChar]: ReadFile] = [:]
    private var rejected: RejectedReports

    /// The most bytes of a report.
    static let longest = 4096

    /// `bell` is the path of the bell's socket; nil for none. An existing file there is replaced.
    public init(_ directory: String, bell: String?) throws(InboxError) {
        self.directory = directory
        descriptor = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw InboxError(errno: errno) }
        rejected = RejectedReports(below: descriptor)
        socket = bell.flatMap { BellSocket($0, groupOf: directory) }
    }

    deinit { close(descriptor) }

    public var bell: Int32? { socket?.descriptor }

    public func silenceBell() { socket?.drain() }

    public func read(_ most: Int, at now: WallTime) throws(InboxError) -> ReportBatch {
        var batch = ReportBatch()
        for name in try waitingNames(most - read.count, &batch) {
            do {
                guard let (bytes, file) = try content(of: name) else { continue }
                batch.reports.append(try ReportReader.report(in: bytes, written: file.written, at: now))
                read[name] = file
            } catch {
                try refuse(name, error, in: &batch)
            }
        }
        return batch
    }

    private func refuse(_ name: [CChar], _ fault: ReportFault, in batch: inout ReportBatch) throws(InboxError) {
        switch fault {
        case .inbox(let error): throw error
        case .unusable(let reason, let isKept):
            try rejected.take(name, isKept: isKept)
            batch.refusals += 1
            guard batch.refused.count < Self.named else { return }
            batch.refused.append(
                ReportBatch.Refusal(name: Self.text(name), reason: isKept ? reason : "\(reason), deleted"))
        }
    }

    public func removeRead() throws(InboxError) {
        for (name, file) in read {
            // A file that has replaced it is unread, and stays.
            if ReadFile(name, below: descriptor) == file {
                guard unlinkat(descriptor, name, 0) == 0 || errno == ENOENT else { throw InboxError(errno: errno) }
            }
            read[name] = nil
        }
    }

    /// More skipped entries than this make a directory crowded.
    private static let mostPassed = 512
    /// The most refused files named in the log.
    private static let named = 3

    /// The name, escaped for display.
    private static func text(_ name: [CChar]) -> String {
        let text = String(decoding: name.dropLast().prefix(60).map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return "\"\(escapingControls(text))\""
    }

    /// The names of unread files, without directories and without hidden files, which are still being written.
    private func waitingNames(_ most: Int, _ batch: inout ReportBatch) throws(InboxError) -> [[CChar]] {
        let copy = openat(descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard copy >= 0, let stream = fdopendir(copy) else { throw InboxError(errno: errno) }
        defer { closedir(stream) }
        var names: [[CChar]] = []
        var passed = 0
        while let entry = readdir(stream) {
            if entry.pointee.d_type == DT_DIR || entry.pointee.d_name.0 == CChar(UInt8(ascii: ".")) {
                passed += 1
                batch.isCrowded = passed > Self.mostPassed
                continue
            }
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                bytes.prefix { $0 != 0 }.map { CChar(bitPattern: $0) } + [0]
            }
            if let file = read[name], ReadFile(name, below: descriptor) == file { continue }
            guard names.count < most else {
                batch.hasMore = most > 0
                break
            }
            names.append(name)
        }
        return names
    }

    /// The bytes and the identity of a file; nil if it is gone.
    private func content(of name: [CChar]) throws(ReportFault) -> ([UInt8], ReadFile)? {
        let file = openat(descriptor, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
        guard file >= 0 else {
            switch errno {
            case ENOENT: return nil
            case ELOOP: throw .unusable("a symbolic link", isKept: false)
            case ENXIO: throw .unusable("not a regular file", isKept: false)
            case EACCES, EPERM: throw .unusable("may not be read; its group needs mode 0640", isKept: true)
            default: throw .inbox(InboxError(errno: errno))
            }
        }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0 else { throw .inbox(InboxError(errno: errno)) }
        guard status.st_mode & S_IFMT == S_IFREG else { throw .unusable("not a regular file", isKept: false) }
        guard let bytes = readAll(from: file, limit: Self.longest + 1) else { throw .inbox(InboxError(errno: errno)) }
        guard bytes.count <= Self.longest else { throw .unusable("over \(Self.longest) bytes", isKept: false) }
        return (bytes, ReadFile(status))
    }
}

/// The identity of a file at the time of reading. A file that replaced it, or was written since, is not equal.
private struct ReadFile: Equatable {
    private let inode: UInt
    private let size: Int
    private let changed: [Int]
    /// The time of the last change of its content, from 1970 to 2242. Its owner can set any time.
    let written: WallTime

    init(_ status: stat) {
        inode = UInt(status.st_ino)
        size = Int(status.st_size)
        written =
            WallTime(secondsSinceEpoch: min(max(Int64(status.st_mtim.tv_sec), 0), 1 << 33))
            + Interval(nanoseconds: Int64(status.st_mtim.tv_nsec))
        changed = [status.st_mtim.tv_sec, status.st_mtim.tv_nsec, status.st_ctim.tv_sec, status.st_ctim.tv_nsec]
    }

    /// Nil if it is gone.
    init?(_ name: [CChar], below directory: Int32) {
        var status = stat()
        guard fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else { return nil }
        self.init(status)
    }
}

/// The reason why a file yields no report.
enum ReportFault: Error {
    /// It is not a report. If `isKept`, it is kept for its author.
    case unusable(String, isKept: Bool)
    /// The directory could not be used.
    case inbox(InboxError)
}

extension InboxError {
    init(errno code: Int32) {
        self =
            switch code {
            case ENOENT, ENOTDIR: .absent
            case EACCES, EPERM: .denied
            default: .failed(errno: code)
            }
    }
}
