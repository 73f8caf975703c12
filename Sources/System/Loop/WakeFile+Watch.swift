extension WakeFile {
    /// Calls `handler` when this file is signalled from now on; the handler must call `clear`.
    public func watch(
        on loop: any EventLoop, _ handler: @escaping () -> Void
    ) throws(LoopError) -> any EventSource {
        try loop.onChange(in: directory) {
            if isSet { handler() }
        }
    }
}
