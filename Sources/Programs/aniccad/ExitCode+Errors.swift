import Glibc
import Program
import Vault

// The daemon's exit codes when it cannot start. systemd retries transient failures: a full disk, a store in use.

extension VaultError {
    var exitCode: ExitCode {
        switch self {
        case .keyUnavailable(_, ENOSPC), .keyUnavailable(_, EDQUOT): .temporary
        case .keyUnavailable(_, ENOENT), .keyUnavailable(_, ENOTDIR): .cannotCreate
        case .keyMissing, .keyRefused, .keyUnavailable, .credentialShut, .sealBroken: .noPermission
        case .notReady: .systemError
        }
    }
}
