/// Logarithm and exponential without a C library, which a microcontroller may lack.
extension Float {
    /// The logarithm to base 2 of a positive number, to within 2·10⁻⁷ of the greater of 1 and its size. For zero,
    /// subnormal and negative numbers it is that of the least normal number; for infinity and NaN it is 128.
    var binaryLogarithm: Float {
        guard self < .infinity else { return 128 }
        let bits = max(self, .leastNormalMagnitude).bitPattern
        var exponent = Int32(bits >> 23) - 127
        var significand = Float(bitPattern: bits & 0x7F_FFFF | 0x3F80_0000)
        if significand > 1.414_213_6 {
            significand /= 2
            exponent += 1
        }
        // ln x = 2 artanh((x − 1) / (x + 1)), whose series converges fast around 1.
        let ratio = (significand - 1) / (significand + 1)
        let square = ratio * ratio
        let series = 1 + square * (1 / 3 + square * (1 / 5 + square * (1 / 7 + square * (1 / 9))))
        return Float(exponent) + 2.885_390_1 * ratio * series
    }

    /// 2 to the power of this number, to within 10⁻⁶ of its size; 0 from −126 down, and 2¹²⁷ or so from 127 up.
    var binaryExponential: Float {
        guard self > -126 else { return 0 }
        let exponent = min(self, 127)
        let whole = Int32(exponent + (exponent < 0 ? -0.5 : 0.5))
        let rest = (exponent - Float(whole)) * 0.693_147_2
        let series = 1 + rest * (1 + rest / 2 * (1 + rest / 3 * (1 + rest / 4 * (1 + rest / 5 * (1 + rest / 6)))))
        return series * Float(bitPattern: UInt32(whole + 127) << 23)
    }

    /// e to the power of this number.
    var naturalExponential: Float { (self * 1.442_695).binaryExponential }

    /// The decimal logarithm of a power in g², with the square of a milli-g added, below which there is only noise.
    var level: Float { (max(self, 0) + ActivityFeatures.noise).decimalLogarithm }

    var decimalLogarithm: Float { binaryLogarithm * 0.301_03 }
}
