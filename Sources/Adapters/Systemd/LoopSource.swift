import CSystemd
import Ports

/// An event source of the loop. Its registration ends at `deinit`.
class LoopSource: EventSource {
    let loop: SystemdLoop
    private(set) var source: OpaquePointer?
    private let handler: () -> Void

    /// `register` is one of the `sd_event_add_…` calls, with `LoopSource.fire` as what the loop calls. libsystemd
    /// then holds an unretained pointer to this object, which `deinit` takes back in time.
    init(
        _ loop: SystemdLoop, _ handler: @escaping () -> Void,
        _ register: (_ source: UnsafeMutablePointer<OpaquePointer?>, _ me: UnsafeMutableRawPointer) -> Int32
    ) throws(LoopError) {
        self.loop = loop
        self.handler = handler
        try LoopError.check(register(&source, Unmanaged.passUnretained(self).toOpaque()))
    }

    deinit { sd_event_source_disable_unref(source) }

    /// Calls the handler of the source that `me` points to. Holding the source meanwhile lets a handler drop it.
    static func fire(_ me: UnsafeMutableRawPointer?) -> Int32 {
        guard let me else { return 0 }
        let source = Unmanaged<LoopSource>.fromOpaque(me).takeUnretainedValue()
        withExtendedLifetime(source) { source.handler() }
        return 0
    }
}
