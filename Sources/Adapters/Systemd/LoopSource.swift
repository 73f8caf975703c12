import CSystemd

/// An event source of the loop. Its registration ends at `deinit`.
///
/// The source retains its handler, so a handler must refer weakly to the object that owns the source.
public class LoopSource {
    let loop: SystemdLoop
    private(set) var source: OpaquePointer?
    private let handler: () -> Void

    /// `register` is one of the `sd_event_add_…` calls, with `LoopSource.fire` as the callback. libsystemd then holds
    /// an unretained pointer to this object, until `deinit` removes the registration.
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
