import Config
import Domains
import System
import Glibc
import Devices
import Core

/// Location: gpsd on this machine, identified by the `VERSION` object that it sends to every new client (gpsd_json(5)).
final class GPSDHandler: HardwareHints {
    let domain: Domain
    let device = "gpsd"
    private let address: GPSDAddress
    private let patience: Interval

    /// `patience` is the time that gpsd has for its greeting.
    init(_ domain: Domain, _ location: LocationSettings, patience: Interval = .seconds(1)) {
        self.domain = domain
        address = GPSDAddress(location)
        self.patience = patience
    }

    /// The socket, or its directory while the socket is missing: a new socket changes the directory.
    var nodes: [String] {
        guard case .socket(let path) = address else { return [] }
        return access(path, F_OK) == 0 ? [path] : [directory(of: path)]
    }

    /// Also ready if only a connection can tell: a port has no node, and a socket may be that of a mere proxy.
    var currentStatus: DeviceStatus {
        guard case .socket(let path) = address else { return .ready }
        var information = stat()
        guard stat(path, &information) == 0 else { return status(ofNode: errno) }
        guard information.st_mode & S_IFMT == S_IFSOCK else {
            return .blocked(.absent, reason: "\(place): not a socket")
        }
        // Connecting needs write access (unix(7)). Unlike a file, a socket has it even on a read-only file system.
        guard faccessat(AT_FDCWD, path, W_OK, AT_EACCESS) == 0 else { return status(ofNode: errno) }
        return .ready
    }

    func requestAccess() -> DeviceStatus {
        let status = currentStatus
        guard status == .ready else { return status }
        do throws(PositionError) {
            try GPSDConnection.check(address, within: patience)
            return .ready
        } catch {
            return self.status(of: error)
        }
    }

    var hintWhenAbsent: String {
        switch address {
        case .socket:
            "run: apt install gpsd; then: systemctl enable --now gpsd.socket anicca-gpsd.socket; "
                + "or correct gpsd-socket in [location]"
        case .port:
            "run: apt install gpsd; then: systemctl enable --now gpsd.socket; or correct gpsd-port in [location]; or, as "
                + "aniccad.service has no network: \(socketInstead)"
        }
    }

    var hintWhenRefused: String {
        switch address {
        case .socket(let path):
            "run: systemctl restart anicca-gpsd.socket; for a socket of another program: "
                + "chgrp anicca \(path) && chmod g+rw \(path)"
        case .port:
            "let this program reach \(place): see the firewall (nft list ruleset); or \(socketInstead)"
        }
    }

    private var socketInstead: String {
        "remove gpsd-port in [location] and run: systemctl enable --now anicca-gpsd.socket"
    }

    private var place: String { "gpsd at \(address)" }

    private func status(ofNode code: Int32) -> DeviceStatus {
        DeviceStatus(errno: code, at: place, absent: "there is no such socket", refused: "for connecting")
    }

    func status(of error: PositionError) -> DeviceStatus {
        switch error {
        case .overlong: .blocked(.absent, reason: "\(place): not gpsd: it sends an endless line")
        case .closed: .blocked(.absent, reason: "\(place): not gpsd: it hangs up without a greeting")
        case .silent: .failing(reason: "\(place): does not greet within \(patience.inMilliseconds) ms")
        case .failed(ENAMETOOLONG): .blocked(.absent, reason: "\(place): a socket's path has 107 bytes at most")
        default: DeviceStatus(error.fault(at: place))
        }
    }
}
