import Core
import Domains

// The registers that the driver uses, with the values that it writes. Sources as in MAX3010x.swift.

/// Names as in the chip's register map.
extension NamedRegister where Driver == MAX3010x {
    /// Reading it clears its flags (LM, SF).
    static var status: Self { Self(0x00, "INTERRUPT_STATUS_1") }
    static var enable1: Self { Self(0x02, "INTERRUPT_ENABLE_1") }
    static var enable2: Self { Self(0x03, "INTERRUPT_ENABLE_2") }
    static var writePointer: Self { Self(0x04, "FIFO_WR_PTR") }
    static var overflow: Self { Self(0x05, "OVF_COUNTER") }
    static var readPointer: Self { Self(0x06, "FIFO_RD_PTR") }
    /// Does not advance: a long read takes one byte after another from the FIFO (LM, SF).
    static var data: Self { Self(0x07, "FIFO_DATA") }
    static var fifoConfiguration: Self { Self(0x08, "FIFO_CONFIG") }
    static var mode: Self { Self(0x09, "MODE_CONFIG") }
    static var sampling: Self { Self(0x0A, "SPO2_CONFIG") }
    static var firstLED: Self { Self(0x0C, "LED1_PA") }
    static var secondLED: Self { Self(0x0D, "LED2_PA") }
    static var partID: Self { Self(0xFF, "PART_ID") }
}

extension MAX3010x {
    /// 100 Hz, averaged by 4.
    static let samplePeriod = Interval.milliseconds(40)
    /// 18 bits (LM, SF).
    static let fullScale: UInt32 = 0x3FFFF

    /// All settings that `initialise` writes and spot checks rely on, in the order of writing: the LEDs go off first.
    static let settings: RegisterValues<Register> = [
        (.mode, Mode.off),
        (.enable1, 0x00),
        (.enable2, 0x00),
        (.fifoConfiguration, FIFO.configuration),
        // Range 4096 nA in bits 6 and 5, 100 Hz in bits 4 to 2, pulses of 411 µs in bits 1 and 0: 18 bits (LM, SF).
        (.sampling, 0x27),
        (.firstLED, 0x00),
        (.secondLED, 0x00),
    ]

    /// MODE_CONFIG: shutdown in bit 7, reset in bit 6, mode in bits 2 to 0 (LM, SF).
    enum Mode {
        static let reset: UInt8 = 0x40
        /// Both LEDs, one after the other.
        static let sampling: UInt8 = 0x03
        /// The same, shut down: the registers keep their values.
        static let off: UInt8 = 0x83
        /// The reset ends within 100 ms (LM).
        static let longestReset = (polls: 10, each: Interval.milliseconds(10))
    }

    /// FIFO_CONFIG: averages of 2ⁿ samples, with n in bits 7 to 5; bit 4 lets a full FIFO overwrite; in bits 3 to 0 the
    /// free places at which the flag of a full FIFO is set (LM, SF).
    enum FIFO {
        /// Averages of 4. A full FIFO keeps its samples and counts those that it loses. The flag is set at 32 samples.
        static let configuration: UInt8 = 0x40
        static let depth = 32
        /// Of the pointers and the counter.
        static let mask: UInt8 = 0x1F
        /// INTERRUPT_STATUS_1: the FIFO has become full.
        static let isFull: UInt8 = 0x80
        /// Three bytes for each channel, most significant first.
        static let sampleSize = 6
    }

    /// The samples in `bytes`, which must begin with a sample.
    static func samples(in bytes: [UInt8]) -> [PulseSample] {
        func count(at index: Int) -> UInt32 {
            (UInt32(bytes[index]) << 16 | UInt32(bytes[index + 1]) << 8 | UInt32(bytes[index + 2])) & fullScale
        }
        return stride(from: 0, through: bytes.count - FIFO.sampleSize, by: FIFO.sampleSize).map {
            PulseSample(first: count(at: $0), second: count(at: $0 + FIFO.sampleSize / 2))
        }
    }
}
