import Files

extension WakeFile {
    /// Calls `handler` when this file is signalled from now on; the handler has to `clear` it.
    public func watch(
        on loop: SystemdLoop, _ handler: @escaping () -> Void
    ) throws(LoopError) -> LoopDirectoryWatch {
        try loop.onChange(in: directory) {
            if isSet { handler() }
        }
    }
}
