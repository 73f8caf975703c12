import CSodium
import System
import Glibc

extension Vault {
    /// The name of the credential that holds the key (systemd.exec(5), "Credentials").
    public static let credentialName = "anicca.key"

    /// The directory of this service's systemd credentials; nil for a service without any, and outside systemd.
    public static var credentialDirectory: String? { getenv("CREDENTIALS_DIRECTORY").map { String(cString: $0) } }

    /// Loads the key: from the systemd credential `anicca.key` if there is one, otherwise from the key file.
    ///
    /// - Parameter credentialDirectory: `$CREDENTIALS_DIRECTORY`; nil if the service has none. systemd sets the modes
    ///   of its files, so they are not checked.
    /// - Parameter createIfMissing: whether to make the key file if there is neither. The file is created atomically,
    ///   even at a power cut; of two concurrent processes, one makes it and both use it.
    public static func load(
        credentialDirectory: String?, keyFile: String, createIfMissing: Bool
    ) throws(VaultError) -> Vault {
        if let directory = credentialDirectory {
            do {
                return try Vault(readingKeyAt: "\(directory)/\(credentialName)", mustBePrivate: false)
            } catch .keyMissing {
                // The service has credentials, but not this one.
            }
        }
        do {
            return try Vault(readingKeyAt: keyFile, mustBePrivate: true)
        } catch .keyMissing where createIfMissing {
            try makeKey(at: keyFile)
            return try Vault(readingKeyAt: keyFile, mustBePrivate: true)
        }
    }

    private convenience init(readingKeyAt path: String, mustBePrivate: Bool) throws(VaultError) {
        // Without O_NONBLOCK, a FIFO in place of the key would block forever.
        let file = Glibc.open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard file >= 0 else {
            switch errno {
            case ENOENT: throw .keyMissing(path: path)
            case ELOOP: throw .keyRefused(path: path, .notRegular)
            case let code: throw .keyUnavailable(path: path, errno: code)
            }
        }
        defer { close(file) }
        if let fault = KeyFault(ofFile: file, mustBePrivate: mustBePrivate) { throw .keyRefused(path: path, fault) }
        try self.init { (memory) throws(VaultError) in
            guard read(file, memory.baseAddress, memory.count) == memory.count else {
                throw .keyUnavailable(path: path, errno: EIO)
            }
        }
    }

    /// Reads the key from a pipe, up to its end, directly into the vault's own memory.
    ///
    /// - Parameter path: the source of the key, for errors. A longer key is reported as one byte too long.
    public convenience init(readingKeyFrom pipe: Int32, of path: String) throws(VaultError) {
        try self.init { (memory) throws(VaultError) in
            var count = 0
            while count < memory.count {
                let got = read(pipe, memory.baseAddress.map { $0 + count }, memory.count - count)
                if got < 0, errno == EINTR { continue }
                guard got >= 0 else { throw .keyUnavailable(path: path, errno: errno) }
                guard got > 0 else { throw .keyRefused(path: path, .wrongLength(count)) }
                count += got
            }
            var surplus: UInt8 = 0
            guard read(pipe, &surplus, 1) <= 0 else { throw .keyRefused(path: path, .wrongLength(count + 1)) }
        }
    }

    /// Writes a random key to a draft and links it into place, so that a power cut leaves no incomplete key.
    private static func makeKey(at path: String) throws(VaultError) {
        guard sodiumIsReady else { throw .notReady }
        let draft = "\(path).new-\(String(UInt64.random(in: 0...UInt64.max), radix: 16))"
        var key = [UInt8](repeating: 0, count: keyLength)
        defer { wipe(&key) }
        randombytes_buf(&key, key.count)
        var code = makeFile(draft, key)
        if code == 0 { code = placeFile(draft, at: path, replaces: false) }
        guard code == 0 || code == EEXIST else { throw .keyUnavailable(path: path, errno: code) }
    }
}

extension KeyFault {
    /// Nil when the file is a usable key.
    fileprivate init?(ofFile file: Int32, mustBePrivate: Bool) {
        var status = stat()
        guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            self = .notRegular
            return
        }
        let mode = status.st_mode & 0o7777
        if mustBePrivate, status.st_uid != geteuid() {
            self = .foreign(owner: status.st_uid)
        } else if mustBePrivate, mode & 0o077 != 0 {
            self = .exposed(mode: mode)
        } else if status.st_size != Vault.keyLength {
            self = .wrongLength(Int(status.st_size))
        } else {
            return nil
        }
    }
}
