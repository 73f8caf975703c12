import Config
import Domains
import Files
import Glibc
import Quantities

/// Location: gpsd on this machine, identified by the `VERSION` object that it sends to every new client (gpsd_json(5)).
final class GPSDHandler: HardwareHints {
    let domain: Domain
    let device = "gpsd"
    let nodes: [String] = []
    private let port: UInt16
    private let patience: Interval

    /// - Parameter patience: the time that gpsd may take to greet.
    init(_ domain: Domain, _ location: LocationSettings, patience: Interval = .seconds(1)) {
        self.domain = domain
        port = location.gpsdPort ?? 2947
        self.patience = patience
    }

    /// Always ready: gpsd has no node, and only a connection can tell.
    var currentStatus: DeviceStatus { .ready }

    func requestAccess() -> DeviceStatus {
        do throws(LocalGreeting.Failure) {
            let line = try LocalGreeting.firstLine(fromPort: port, within: patience)
            if line.isEmpty { return .blocked(.absent, reason: "\(place): no gpsd, for it says nothing and hangs up") }
            guard JSONMembers(line, deepest: 1)?.string("class") == "VERSION" else {
                return .blocked(.absent, reason: "\(place): no gpsd, for it says \(quoted(line))")
            }
            return .ready
        } catch {
            return status(of: error)
        }
    }

    var hintWhenAbsent: String {
        "run: apt install gpsd, and then: systemctl enable --now gpsd.socket; or correct gpsd-port in [location]"
    }

    var hintWhenRefused: String { "let this program reach \(place): see the firewall (nft list ruleset)" }

    private var place: String { "gpsd at 127.0.0.1:\(port)" }

    private func status(of failure: LocalGreeting.Failure) -> DeviceStatus {
        switch failure {
        case .silent: .failing(reason: "\(place): does not greet within \(patience.inMilliseconds) ms")
        case .failed(ECONNREFUSED): .blocked(.absent, reason: "\(place): nobody listens")
        case .failed(EACCES), .failed(EPERM):
            .blocked(.refused, reason: "\(place): the kernel refuses the connection")
        case .failed(let errno): .failing(reason: "\(place): the kernel gave errno \(errno)")
        }
    }

    /// The beginning of another server's greeting, fit for a log.
    private func quoted(_ line: [UInt8]) -> String {
        var text = ""
        for byte in line.prefix(40) {
            let isPlain = (0x20..<0x7F).contains(byte) && byte != UInt8(ascii: "\"")
            text.unicodeScalars.append(isPlain ? Unicode.Scalar(byte) : "?")
        }
        return "\"\(text)\"" + (line.count > 40 ? "…" : "")
    }
}
