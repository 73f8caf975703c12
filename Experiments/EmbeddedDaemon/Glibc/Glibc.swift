// The parts of the module of this name that the project uses: the toolchain has it for ordinary Swift alone.

@_exported import CGlibc

public var errno: Int32 {
    get { current_errno() }
    set { set_errno(newValue) }
}

public func open(_ path: UnsafePointer<CChar>, _ flags: Int32) -> Int32 { open_with_mode(path, flags, 0) }
public func open(_ path: UnsafePointer<CChar>, _ flags: Int32, _ mode: mode_t) -> Int32 {
    open_with_mode(path, flags, mode)
}
public func openat(_ directory: Int32, _ path: UnsafePointer<CChar>, _ flags: Int32) -> Int32 {
    openat_with_mode(directory, path, flags, 0)
}
public func openat(_ directory: Int32, _ path: UnsafePointer<CChar>, _ flags: Int32, _ mode: mode_t) -> Int32 {
    openat_with_mode(directory, path, flags, mode)
}
public func fcntl(_ file: Int32, _ command: Int32) -> Int32 { fcntl_with_int(file, command, 0) }
public func fcntl(_ file: Int32, _ command: Int32, _ value: Int32) -> Int32 { fcntl_with_int(file, command, value) }
public func fcntl(_ file: Int32, _ command: Int32, _ value: UnsafeMutableRawPointer) -> Int32 {
    fcntl_with_pointer(file, command, value)
}

public var S_IFMT: mode_t { mode_t(0o170000) }
public var S_IFIFO: mode_t { mode_t(0o010000) }
public var S_IFCHR: mode_t { mode_t(0o020000) }
public var S_IFDIR: mode_t { mode_t(0o040000) }
public var S_IFREG: mode_t { mode_t(0o100000) }
public var S_IFSOCK: mode_t { mode_t(0o140000) }

/// The address that mmap(2) gives back when it fails.
public var MAP_FAILED: UnsafeMutableRawPointer? { map_failed() }
