#if !hasFeature(Embedded)
import Glibc

extension Coordinates {
    /// Metres along the great circle, on a sphere of the earth's mean radius (IUGG): wrong by 0.6 % at the most.
    func distance(to other: Coordinates) -> Double {
        let radians = Double.pi / 180
        let (height, width) = ((other.latitude - latitude) * radians, (other.longitude - longitude) * radians)
        let chord =
            square(sin(height / 2)) + cos(latitude * radians) * cos(other.latitude * radians) * square(sin(width / 2))
        return 2 * 6_371_008.8 * asin(min(1, chord.squareRoot()))
    }

    /// A part of the way to another place nearby: 0 for none of it, 1 for all.
    func moved(by part: Double, towards other: Coordinates) -> Coordinates {
        var width = other.longitude - longitude
        // The short way round.
        if width > 180 { width -= 360 } else if width < -180 { width += 360 }
        var east = longitude + width * part
        if east > 180 { east -= 360 } else if east < -180 { east += 360 }
        return Coordinates(latitude: latitude + (other.latitude - latitude) * part, longitude: east) ?? self
    }
}

private func square(_ value: Double) -> Double { value * value }
#endif
