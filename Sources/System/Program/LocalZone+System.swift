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

    /// The zone with which the process was started; nil without one.
    private static let environmentZone = getenv("TZ").map { String(cString: $0) }

    /// The reason for `choose` returning false.
    public static let isUnknown = "is not in the time-zone database of this machine"

    /// Sets the zone of this process, or reads the system's again, which may have changed. Not thread-safe. Returns
    /// false for a name that the database does not have; the zone is then UTC.
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
