import CLinux
import Glibc

/// A watch on a descriptor.
final class LoopWatch: EventSource {
    /// Nil for the watch that the loop itself owns.
    private let owner: EpollLoop?
    private unowned let loop: EpollLoop
    private let descriptor: Int32
    private let handler: () -> Void
    private var number: UInt64?

    init(
        _ loop: EpollLoop, _ descriptor: Int32, isOwnedByLoop: Bool = false, _ handler: @escaping () -> Void
    ) throws(LoopError) {
        self.loop = loop
        owner = isOwnedByLoop ? nil : loop
        self.descriptor = descriptor
        self.handler = handler
        number = try loop.add(self, descriptor)
    }

    deinit {
        if let number, let owner { owner.remove(number, descriptor) }
    }

    /// The extended lifetime lets a handler drop the watch.
    func fire() { withExtendedLifetime(self) { handler() } }
}

/// A watch on a directory, or on one node, such as `/dev/i2c-1` (inotify(7)). Each has a descriptor of its own: a user
/// may have 128 inotify instances, and two watches of one inode in an instance would share their events.
///
/// It follows the node and not the path: a new node at the path is not watched.
final class LoopFileWatch: EventSource {
    private let descriptor: Int32
    private var watch: LoopWatch?

    /// - Parameter events: the mask for inotify(7).
    init(_ loop: EpollLoop, _ path: String, _ events: Int32, _ handler: @escaping () -> Void) throws(LoopError) {
        try loop.checkRunning()
        descriptor = try LoopError.check(inotify_init1(Int32(IN_CLOEXEC | IN_NONBLOCK)))
        try LoopError.check(inotify_add_watch(descriptor, path, UInt32(bitPattern: events)))
        watch = try LoopWatch(loop, descriptor) { [descriptor] in
            drain(descriptor)
            handler()
        }
    }

    deinit {
        watch = nil
        if descriptor >= 0 { close(descriptor) }
    }
}

/// Discards the input of a non-blocking descriptor.
func drain(_ descriptor: Int32) {
    withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 8) { buffer in
        while read(descriptor, buffer.baseAddress, buffer.count) > 0 {}
    }
}
