import Files

extension WakeFile {
    /// Calls `handler` when this bell is rung from now on; the handler has to `answer`.
    public func watch(
        on loop: SystemdLoop, _ handler: @escaping () -> Void
    ) throws(LoopError) -> LoopDirectoryWatch {
        try loop.onChange(in: directory) {
            if isSet { handler() }
        }
    }
}
