import Core

/// A 16-bit value from its low and its high byte.
func littleEndian(_ low: UInt8, _ high: UInt8) -> Int16 { Int16(bitPattern: UInt16(high) << 8 | UInt16(low)) }

/// The samples in `bytes`, which begin with a sample: X, Y and Z of each, low byte first. A partial sample at the end
/// is left out. `convert` gives one axis in g.
func littleEndianSamples(in bytes: ArraySlice<UInt8>, convert: (Int16) -> Float) -> [Acceleration] {
    func axis(_ position: Int) -> Float { convert(littleEndian(bytes[position], bytes[position + 1])) }
    return stride(from: bytes.startIndex, through: bytes.endIndex - 6, by: 6)
        .map { Acceleration(x: axis($0), y: axis($0 + 2), z: axis($0 + 4)) }
}
