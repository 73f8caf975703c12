import Core

/// A window less its mean, in a frame of its own: z along the mean, x and y across it.
///
/// Lives on the stack for as long as `withUprightWindow` runs.
struct UprightWindow {
    /// In the sensor's own frame.
    let mean: Acceleration
    /// The samples less their mean: horizontal in x and y, vertical in z.
    let vectors: Vectors
    /// The samples' lengths less their mean.
    let lengths: UnsafeMutableBufferPointer<Float>
    let meanLength: Float

    fileprivate init(
        _ samples: [Acceleration], vectors: Vectors, lengths: UnsafeMutableBufferPointer<Float>
    ) {
        let share = 1 / Float(Window.length)
        // Sums are of differences to the first sample: small numbers added to gravity would be lost by rounding.
        let first = samples[0]
        let firstLength = first.magnitude
        var sum = Acceleration.zero
        var lengthSum: Float = 0
        for index in 0..<Window.length {
            let change = samples[index] - first
            // |a| − |b| = (a − b)·(a + b) / (|a| + |b|)
            let both = samples[index].magnitude + firstLength
            lengths[index] = both > 0 ? change.dot(samples[index] + first) / both : 0
            sum = sum + change
            lengthSum += lengths[index]
        }
        mean = first + sum * share
        meanLength = firstLength + lengthSum * share

        let gravity = mean.magnitude
        let frame = Frame(up: gravity > 1e-6 ? mean * (1 / gravity) : Acceleration(x: 0, y: 0, z: 1))
        for index in 0..<Window.length {
            vectors[index] = frame.turn(samples[index] - mean)
            lengths[index] -= lengthSum * share
        }
        self.vectors = vectors
        self.lengths = lengths
    }
}

/// As many vectors as a window has samples, with separate memory for each axis: Swift puts temporary memory of up to 1
/// KB on the stack, and larger on the heap.
struct Vectors {
    fileprivate let x, y, z: UnsafeMutableBufferPointer<Float>

    subscript(index: Int) -> Acceleration {
        get { Acceleration(x: x[index], y: y[index], z: z[index]) }
        nonmutating set { (x[index], y[index], z[index]) = (newValue.x, newValue.y, newValue.z) }
    }
}

/// Calls the closure with the window in its own frame; its memory is on the stack.
func withUprightWindow<Result>(_ window: Window, _ body: (UprightWindow) -> Result) -> Result {
    withNumbers { x in
        withNumbers { y in
            withNumbers { z in
                withNumbers { body(UprightWindow(window.samples, vectors: Vectors(x: x, y: y, z: z), lengths: $0)) }
            }
        }
    }
}

private func withNumbers<Result>(_ body: (UnsafeMutableBufferPointer<Float>) -> Result) -> Result {
    withUnsafeTemporaryAllocation(of: Float.self, capacity: Window.length, body)
}

/// Three orthogonal directions.
private struct Frame {
    let up, ahead, aside: Acceleration

    /// `up` has the length 1.
    init(up: Acceleration) {
        self.up = up
        let other = abs(up.x) < 0.6 ? Acceleration(x: 1, y: 0, z: 0) : Acceleration(x: 0, y: 1, z: 0)
        let across = Frame.cross(up, other)
        ahead = across * (1 / across.magnitude)
        aside = Frame.cross(up, ahead)
    }

    func turn(_ vector: Acceleration) -> Acceleration {
        Acceleration(x: vector.dot(ahead), y: vector.dot(aside), z: vector.dot(up))
    }

    private static func cross(_ a: Acceleration, _ b: Acceleration) -> Acceleration {
        Acceleration(x: a.y * b.z - a.z * b.y, y: a.z * b.x - a.x * b.z, z: a.x * b.y - a.y * b.x)
    }
}
