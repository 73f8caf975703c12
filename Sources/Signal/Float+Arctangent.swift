/// The arctangent without a C library, which a microcontroller may lack.
extension Float {
    /// In radians, −π/2 to π/2, to within 10⁻⁶.
    var arctangent: Float {
        // tan(x/2) = tan x / (1 + √(1 + tan² x)), three times, so that the series converges fast.
        var tangent = self
        for _ in 0..<3 {
            guard tangent.magnitude < 1e18 else { return tangent < 0 ? -.pi / 2 : .pi / 2 }
            tangent /= 1 + (1 + tangent * tangent).squareRoot()
        }
        let square = tangent * tangent
        return 8 * tangent * (1 - square * (1 / 3 - square * (1 / 5 - square * (1 / 7 - square / 9))))
    }
}
