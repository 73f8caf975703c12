import Quantities

extension MPU6050 {
    /// The largest acceleration that can be measured, in g either way; beyond it samples saturate.
    public enum FullScale: Int, CaseIterable, Hashable, Sendable {
        case g2 = 2
        case g4 = 4
        case g8 = 8
        case g16 = 16

        /// AFS_SEL, in its place in ACCEL_CONFIG (RM 28).
        var setting: UInt8 { UInt8(rawValue.trailingZeroBitCount - 1) << 3 }

        /// One axis in g: 16384 counts for 1 g at ±2 g, half as many with each wider range (RM 59 to 64).
        public func convert(_ raw: Int16) -> Float { Float(raw) * (Float(rawValue) / 32_768) }

        /// The samples in bytes from the FIFO, which must begin with a sample. A last, partial one is left out.
        func samples(in bytes: ArraySlice<UInt8>) -> [Acceleration] {
            func axis(_ position: Int) -> Float {
                convert(Int16(bitPattern: UInt16(bytes[position]) << 8 | UInt16(bytes[position + 1])))
            }
            return stride(from: bytes.startIndex, through: bytes.endIndex - FIFO.sampleSize, by: FIFO.sampleSize)
                .map { Acceleration(x: axis($0), y: axis($0 + 2), z: axis($0 + 4)) }
        }
    }
}
