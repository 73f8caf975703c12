import Domains
import Glibc
import Core

extension LocalZone {
    /// The zone of this process, by the time-zone database (tzset(3)).
    public static let ofSystem = LocalZone { time in
        var seconds = time_t(time.secondsSinceEpoch)
        var shown = tm()
        guard localtime_r(&seconds, &shown) != nil else { return 0 }
        return Int64(shown.tm_gmtoff)
    }

    /// That which the process was started with; nil without one.
    private static let environmentZone = getenv("TZ").map { String(cString: $0) }

    /// Chooses the zone of this process, or reads the system's again, which may be another one since. Not for use from several
    /// threads. Returns false for a name that the database does not have: UTC then.
    ///
    /// - Parameter name: nil for the zone of the system.
    @discardableResult
    public static func choose(_ name: String?) -> Bool {
        let environment = environmentZone
        if let zone = name.map({ ":\($0)" }) ?? environment { setenv("TZ", zone, 1) } else { unsetenv("TZ") }
        tzset()
        return name.map { access("/usr/share/zoneinfo/\($0)", R_OK) == 0 } ?? true
    }
}
