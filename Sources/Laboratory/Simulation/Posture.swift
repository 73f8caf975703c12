import Glibc
import Core

/// The orientation of a sensor: three directions of the wearer in the sensor's frame, each of length 1.
struct Posture: Sendable {
    /// The direction of the specific force at rest: straight up.
    let up: Acceleration
    let ahead: Acceleration
    let side: Acceleration

    /// The level directions are arbitrary: at rest only `up` can be measured.
    init(up: Acceleration) {
        self.up = up * (1 / up.magnitude)
        let reference =
            abs(self.up.x) < 0.8 ? Acceleration(x: 1, y: 0, z: 0) : Acceleration(x: 0, y: 1, z: 0)
        let level = reference - self.up * reference.dot(self.up)
        ahead = level * (1 / level.magnitude)
        side = Acceleration(
            x: self.up.y * ahead.z - self.up.z * ahead.y, y: self.up.z * ahead.x - self.up.x * ahead.z,
            z: self.up.x * ahead.y - self.up.y * ahead.x)
    }

    /// A random direction, uniformly distributed.
    static func random(using generator: inout SplitGenerator) -> Posture {
        let height = Float.random(in: -1...1, using: &generator)
        let angle = Float.random(in: 0..<(2 * .pi), using: &generator)
        let radius = (1 - height * height).squareRoot()
        return Posture(up: Acceleration(x: radius * cosf(angle), y: radius * sinf(angle), z: height))
    }

    /// The posture leaned by this many degrees, to a random side.
    func leaning(_ degrees: ClosedRange<Float>, using generator: inout SplitGenerator) -> Posture {
        let lean = Float.random(in: degrees, using: &generator) * .pi / 180
        let azimuth = Float.random(in: 0..<(2 * .pi), using: &generator)
        let level = ahead * cosf(azimuth) + side * sinf(azimuth)
        return Posture(up: up * cosf(lean) + level * sinf(lean))
    }

    /// The cosine of the angle between two postures.
    func cosine(to other: Posture) -> Float { up.dot(other.up) }
}
