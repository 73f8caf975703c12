import Core

extension SphereFit {
    /// The gains and offsets of the three axes during the fit.
    struct Parameters {
        /// Gains first.
        var values = [1.0, 1, 1, 0, 0, 0]

        var correction: Correction {
            let values = values.map { Float($0) }
            return Correction(
                offset: Acceleration(x: values[3], y: values[4], z: values[5]),
                gain: Acceleration(x: values[0], y: values[1], z: values[2]))
        }

        /// The distance of a window from the sphere, and its derivatives by the parameters; nil at the centre of the
        /// sphere, where it has no direction.
        func distance(of mean: Acceleration) -> (value: Double, slope: [Double])? {
            let raw = [Double(mean.x), Double(mean.y), Double(mean.z)]
            let level = (0..<3).map { raw[$0] - values[3 + $0] }
            let shown = (0..<3).map { level[$0] * values[$0] }
            let length = (shown[0] * shown[0] + shown[1] * shown[1] + shown[2] * shown[2]).squareRoot()
            guard length.isFinite, length > 0.1 else { return nil }
            let gains = (0..<3).map { shown[$0] * level[$0] / length }
            let offsets = (0..<3).map { -shown[$0] * values[$0] / length }
            return (length - 1, gains + offsets)
        }
    }

    private static let mostIterations = 60
    private static let smallestStep = 1e-9
    /// In g; windows further from the sphere have less weight.
    private static let fullWeight = 0.01

    /// Nil if the windows do not determine the parameters, or the iteration does not converge.
    static func solve(_ means: [Acceleration]) -> Parameters? {
        var parameters = Parameters()
        for _ in 0..<mostIterations {
            var matrix = [Double](repeating: 0, count: 36)
            var right = [Double](repeating: 0, count: 6)
            for mean in means {
                guard let distance = parameters.distance(of: mean) else { return nil }
                let weight = fullWeight / max(fullWeight, distance.value.magnitude)
                for row in 0..<6 {
                    right[row] -= weight * distance.slope[row] * distance.value
                    for column in 0..<6 {
                        matrix[row * 6 + column] += weight * distance.slope[row] * distance.slope[column]
                    }
                }
            }
            guard let step = solution(of: matrix, right) else { return nil }
            for index in 0..<6 { parameters.values[index] += step[index] }
            let longest = step.reduce(0) { max($0, $1.magnitude) }
            guard longest < 1 else { return nil }
            if longest < smallestStep { return parameters }
        }
        // Weights may alternate between two windows; the parameters are then still stable to far below a thousandth.
        return parameters
    }

    /// The solution of six equations by Cholesky decomposition; nil if the matrix is singular.
    private static func solution(of matrix: [Double], _ right: [Double]) -> [Double]? {
        let scale = (0..<6).reduce(0) { max($0, matrix[$1 * 7]) }
        guard scale.isFinite else { return nil }
        var root = [Double](repeating: 0, count: 36)
        for row in 0..<6 {
            for column in 0...row {
                var rest = matrix[row * 6 + column]
                for index in 0..<column { rest -= root[row * 6 + index] * root[column * 6 + index] }
                if row > column {
                    root[row * 6 + column] = rest / root[column * 7]
                } else {
                    guard rest > scale * 1e-9 else { return nil }
                    root[row * 7] = rest.squareRoot()
                }
            }
        }
        var values = right
        for row in 0..<6 {
            for index in 0..<row { values[row] -= root[row * 6 + index] * values[index] }
            values[row] /= root[row * 7]
        }
        for row in (0..<6).reversed() {
            for index in (row + 1)..<6 { values[row] -= root[index * 6 + row] * values[index] }
            values[row] /= root[row * 7]
        }
        return values
    }
}
