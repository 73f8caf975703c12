import CSystemd
import Ports

/// A watch on a descriptor.
final class LoopWatch: LoopSource {
    init(_ loop: SystemdLoop, _ descriptor: Int32, _ handler: @escaping () -> Void) throws(LoopError) {
        try super.init(loop, handler) { source, me in
            sd_event_add_io(
                loop.event, source, descriptor, EPOLLIN.rawValue, { _, _, _, me in LoopSource.fire(me) }, me)
        }
    }
}

/// The events that all watches of directories and nodes are told of. Each calls its handler for some of them.
///
/// libsystemd 252 never returns from a wait once it has read an event of an inode that none of the inode's sources asked for, as when the
/// one that did is dropped before its turn. While all ask for the same, there is none.
private enum Inotify {
    static let ofDirectory = UInt32(IN_CLOSE_WRITE | IN_MOVED_TO)
    static let ofNode = UInt32(IN_ATTRIB | IN_DELETE_SELF | IN_MOVE_SELF)
    static let all = ofDirectory | ofNode
    /// The kernel's own, which end a watch or tell of lost events, are for everyone.
    static let always = UInt32(IN_IGNORED | IN_UNMOUNT | IN_Q_OVERFLOW)

    static func concerns(_ event: UnsafePointer<inotify_event>?, _ mask: UInt32) -> Bool {
        event.map { $0.pointee.mask & (mask | always) != 0 } ?? true
    }
}

/// A watch on a directory (inotify(7)).
final class LoopDirectoryWatch: LoopSource {
    init(_ loop: SystemdLoop, _ directory: String, _ handler: @escaping () -> Void) throws(LoopError) {
        try super.init(loop, handler) { source, me in
            sd_event_add_inotify(
                loop.event, source, directory, Inotify.all | UInt32(IN_ONLYDIR),
                { _, event, me in Inotify.concerns(event, Inotify.ofDirectory) ? LoopSource.fire(me) : 0 }, me)
        }
    }
}

/// A watch on one node, such as `/dev/i2c-1` (inotify(7)): its mode, its owner, and whether it is still there.
///
/// It follows the node and not the path: a node made at the path afterwards is not watched.
final class LoopNodeWatch: LoopSource {
    init(_ loop: SystemdLoop, _ path: String, _ handler: @escaping () -> Void) throws(LoopError) {
        try super.init(loop, handler) { source, me in
            sd_event_add_inotify(
                loop.event, source, path, Inotify.all,
                { _, event, me in Inotify.concerns(event, Inotify.ofNode) ? LoopSource.fire(me) : 0 }, me)
        }
    }
}
