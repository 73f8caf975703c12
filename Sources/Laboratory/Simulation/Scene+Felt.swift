import Glibc
import Core

/// The acceleration of the sensor, in g. The amplitudes match measurements of people: the deviation of the acceleration
/// vector over five seconds is 8–20 mg for a sitting person, 0.2–0.4 g for a walker, 0.75–1.2 g for a runner, and
/// 0.05–0.2 g in a car, most of it between 4 and 12 Hz.
extension Scene {
    /// - Parameters:
    ///   - seconds: since the scene began.
    ///   - stride: steps taken since the episode began, with the fraction of the present one; 0 without steps.
    func felt(at seconds: Double, stride: Double) -> Acceleration {
        guard kind != .off else { return posture.up }
        return rest(at: seconds) + movement(at: seconds, stride: stride)
    }

    /// Gravity. While the wearer shifts, it turns from one posture to the other, jerkily.
    private func rest(at seconds: Double) -> Acceleration {
        guard seconds < settling else { return posture.up }
        let progress = Float(seconds / settling)
        let weight = progress * progress * (3 - 2 * progress)
        let between = before.up + (posture.up - before.up) * weight
        let length = between.magnitude
        let jerk = max(noise(103, at: seconds * 1.3), 0) * (1 - progress)
        return (length > 0.1 ? between * (1 / length) : posture.up) + shaking(100, at: seconds * 5) * (0.3 * jerk)
    }

    private func movement(at seconds: Double, stride: Double) -> Acceleration {
        switch kind {
        case .sleeping: breathing(at: seconds)
        case .sitting: tremor(at: seconds)
        case .standing: tremor(at: seconds) + swaying(at: seconds)
        case .walking: walking(stride) + shaking(0, at: seconds * 20) * 0.09
        case .running: running(stride) + shaking(0, at: seconds * 20) * 0.22
        case .driving: isIdling ? idling(at: seconds) : road(at: seconds)
        case .off: .zero
        }
    }

    private func tremor(at seconds: Double) -> Acceleration {
        let slow = posture.ahead * noise(3, at: seconds * 0.8) + posture.side * noise(4, at: seconds * 0.6)
        return (shaking(0, at: seconds * 12) * 0.006 + slow * 0.009) * vigour
    }

    private func swaying(at seconds: Double) -> Acceleration {
        posture.ahead * (noise(6, at: seconds * 0.9) * 0.024 * vigour)
            + posture.side * (noise(7, at: seconds * 0.7) * 0.016 * vigour)
    }

    /// 12 to 18 breaths a minute move and tilt the sensor.
    private func breathing(at seconds: Double) -> Acceleration {
        let rate = 0.25 + 0.05 * Double(noise(0, at: 0))
        let breath = sine(seconds * rate) * 0.010 * vigour
        return posture.ahead * breath + posture.up * (breath * 0.3) + shaking(3, at: seconds * 10) * 0.001
    }

    /// Each step is a push up and forward with harmonics; every second step leans to the same side.
    private func walking(_ stride: Double) -> Acceleration {
        let lift = 0.30 * cosine(stride) + 0.12 * cosine(2 * stride) + 0.08 * cosine(3 * stride)
        let push = 0.13 * sine(stride) + 0.08 * cosine(2 * stride)
        let lean = 0.11 * sine(stride / 2)
        return (posture.up * lift + posture.ahead * push + posture.side * lean) * effort(stride)
    }

    private func running(_ stride: Double) -> Acceleration {
        let lift = 1.00 * cosine(stride) + 0.26 * cosine(2 * stride) + 0.12 * cosine(3 * stride)
        let push = 0.45 * sine(stride) + 0.25 * cosine(2 * stride)
        let lean = 0.30 * sine(stride / 2)
        return (posture.up * lift + posture.ahead * push + posture.side * lean) * effort(stride)
    }

    /// The strength of a step, about 1, varying from step to step.
    private func effort(_ stride: Double) -> Float { vigour * (1 + 0.15 * noise(9, at: stride)) }

    /// The road shakes the car, wheels and body resonate, and the car accelerates, brakes and turns.
    private func road(at seconds: Double) -> Acceleration {
        let roughness = vigour * (0.09 + 0.05 * noise(10, at: seconds / 15))
        let drift = 0.4 * Double(noise(12, at: seconds * 2))
        let resonance = sine(seconds * 5.8 + drift) * noise(11, at: seconds * 1.5)
        let vibration = shaking(0, at: seconds * 22) * roughness + posture.up * (1.1 * roughness * resonance)
        let speeding = posture.ahead * (0.16 * noise(13, at: seconds * 0.25))
        return vibration + speeding + posture.side * (0.12 * noise(14, at: seconds * 0.2))
    }

    /// The engine idles.
    private func idling(at seconds: Double) -> Acceleration {
        tremor(at: seconds) + shaking(15, at: seconds * 24) * 0.008
    }
}

extension Scene {
    private func noise(_ offset: UInt64, at position: Double) -> Float {
        ValueNoise.value(lane &+ offset &* 0xA24B_AED4_963E_E407, at: position)
    }

    /// Noise on three axes, which uses three lanes.
    private func shaking(_ offset: UInt64, at position: Double) -> Acceleration {
        Acceleration(
            x: noise(offset, at: position), y: noise(offset + 1, at: position + 0.33),
            z: noise(offset + 2, at: position + 0.67))
    }

    private func sine(_ turns: Double) -> Float { Float(sin(turns * 2 * .pi)) }
    private func cosine(_ turns: Double) -> Float { Float(cos(turns * 2 * .pi)) }
}
