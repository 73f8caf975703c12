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

/// A watch on a directory (inotify(7)).
final class LoopDirectoryWatch: LoopSource {
    init(_ loop: SystemdLoop, _ directory: String, _ handler: @escaping () -> Void) throws(LoopError) {
        try super.init(loop, handler) { source, me in
            sd_event_add_inotify(
                loop.event, source, directory, UInt32(IN_CLOSE_WRITE | IN_MOVED_TO | IN_ONLYDIR),
                { _, _, me in LoopSource.fire(me) }, me)
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
                loop.event, source, path, UInt32(IN_ATTRIB | IN_DELETE_SELF | IN_MOVE_SELF),
                { _, _, me in LoopSource.fire(me) }, me)
        }
    }
}
