import Core

// The registers that the driver uses, with the values that it writes. Sources as in BMA400.swift.

/// Names as in the chip's register map.
extension NamedRegister where Driver == BMA400 {
    static var chipID: Self { Self(0x00, "CHIP_ID") }
    static var interruptStatus: Self { Self(0x0E, "INT_STAT0") }
    static var temperature: Self { Self(0x11, "TEMP_DATA") }
    /// Bytes in the FIFO, low byte first; 11 bits.
    static var fifoLength: Self { Self(0x12, "FIFO_LENGTH0") }
    /// The FIFO's port: a long read stays at it.
    static var fifoData: Self { Self(0x14, "FIFO_DATA") }
    /// 24 bits, low byte first.
    static var stepCount: Self { Self(0x15, "STEP_CNT0") }
    static var configuration0: Self { Self(0x19, "ACC_CONFIG0") }
    static var configuration1: Self { Self(0x1A, "ACC_CONFIG1") }
    static var configuration2: Self { Self(0x1B, "ACC_CONFIG2") }
    static var interruptEnable0: Self { Self(0x1F, "INT_CONFIG0") }
    static var interruptEnable1: Self { Self(0x20, "INT_CONFIG1") }
    static var interruptMap1: Self { Self(0x21, "INT1_MAP") }
    static var interruptMap2: Self { Self(0x22, "INT2_MAP") }
    static var interruptMapBoth: Self { Self(0x23, "INT12_MAP") }
    static var pins: Self { Self(0x24, "INT12_IO_CTRL") }
    static var fifoConfiguration: Self { Self(0x26, "FIFO_CONFIG0") }
    static var fifoPower: Self { Self(0x29, "FIFO_PWR_CONFIG") }
    static var autoLowPower: Self { Self(0x2B, "AUTOLOWPOW_1") }
    static var autoWakeUp: Self { Self(0x2D, "AUTOWAKEUP_1") }
    static var wakeUp: Self { Self(0x2F, "WKUP_INT_CONFIG0") }
    static var detector0: Self { Self(0x3F, "GEN1INT_CONFIG0") }
    static var detector1: Self { Self(0x40, "GEN1INT_CONFIG1") }
    static var detectorThreshold: Self { Self(0x41, "GEN1INT_CONFIG2") }
    /// High byte first (BS).
    static var detectorDuration: Self { Self(0x42, "GEN1INT_CONFIG3") }
    static var detectorDurationLow: Self { Self(0x43, "GEN1INT_CONFIG31") }
    static var command: Self { Self(0x7E, "CMD") }
}

extension BMA400 {
    /// All settings that `initialise` writes and windows rely on, in the order of writing: the chip goes to sleep
    /// first.
    var settings: RegisterValues<Register> {
        [
            (.configuration0, Power.sleep),
            (.interruptEnable0, Interrupt.none),
            (.fifoConfiguration, FIFO.bypass),
            (.configuration1, configuration1(at: .windows)),
            // Samples from the first filter (BS).
            (.configuration2, 0x00),
            (.interruptEnable1, interrupts),
            (.interruptMap1, Interrupt.detector),
            (.interruptMap2, 0x00),
            (.interruptMapBoth, 0x00),
            (.pins, Interrupt.activeHigh),
            // The FIFO can be read.
            (.fifoPower, 0x00),
            // The chip changes its power only when told.
            (.autoLowPower, 0x00), (.autoWakeUp, 0x00), (.wakeUp, 0x00),
            (.detector0, Detector.allAxesAgainstTheStart),
            (.detector1, Detector.anyAxisBeyond),
            (.detectorThreshold, wakeThreshold),
            // One sample beyond the threshold is enough.
            (.detectorDuration, 0), (.detectorDurationLow, 1),
        ]
    }

    /// The content of INT_CONFIG1.
    var interrupts: UInt8 { Interrupt.latch | (countsSteps ? Interrupt.steps : 0) }

    /// ACC_CONFIG0 bits 1 and 0 (BS, LX). Its low power is not used: no source states whether the FIFO, the detector and
    /// the step counter run in it.
    enum Power {
        static let sleep: UInt8 = 0x00
        static let normal: UInt8 = 0x02
    }

    /// ACC_CONFIG1: range in bits 7 and 6, oversampling in bits 5 and 4, rate in bits 3 to 0 (BS, LX).
    enum Rate {
        /// 25 Hz, most oversampling.
        static let sampling: UInt8 = 0x36
        /// 12.5 Hz, the slowest, most oversampling.
        static let samplingSlowly: UInt8 = 0x35
        /// 25 Hz, no oversampling: the lowest power in which everything runs.
        static let watching: UInt8 = 0x06
    }

    /// FIFO_CONFIG0 and CMD (BS alone).
    enum FIFO {
        /// Nothing is stored.
        static let bypass: UInt8 = 0x00
        /// X, Y and Z of 12 bits. Off: time (bit 2), and the stop of a full FIFO (bit 1), which drops its oldest frames.
        static let stream: UInt8 = 0xE0
        static let flush: UInt8 = 0xB0
        /// A header, and two bytes for each axis.
        static let frameSize = 7
        static let depth = 1024 / frameSize
        /// X, Y and Z of 12 bits.
        static let header: UInt8 = 0x9E
        static let count = 0x07FF
    }

    /// INT_CONFIG0 and INT_STAT0 bit 2 is the first generic interrupt; INT_CONFIG1 bit 7 latches until INT_STAT0 is
    /// read, and its bit 0 turns the step counter on (BS, LX).
    enum Interrupt {
        static let none: UInt8 = 0x00
        static let detector: UInt8 = 0x04
        static let latch: UInt8 = 0x80
        static let steps: UInt8 = 0x01
        /// Both pins, driven; from memory of the data sheet.
        static let activeHigh: UInt8 = 0x22
    }

    /// The first generic interrupt (BS; LX the layout).
    enum Detector {
        /// Bits 7 to 5 the axes, bit 4 off: the first filter; bits 3 and 2: the reference is taken once, at the start.
        /// No hysteresis.
        static let allAxesAgainstTheStart: UInt8 = 0xE4
        /// Bit 1: beyond the threshold, not within; bit 0 off: one axis is enough.
        static let anyAxisBeyond: UInt8 = 0x02
        /// mg per LSB of the threshold.
        static let step = 8
    }
}

extension AccelerationRange where Driver == BMA400 {
    /// Bits 7 and 6 of ACC_CONFIG1.
    var setting: UInt8 { code << 6 }

    /// One axis in g, from a 12-bit value: 1024 LSB per g at ±2 g, half of that for each wider range (BS). LX had four
    /// times as much at first.
    func convert(_ raw: Int16) -> Float { Float(raw) * Float(rawValue) / 2048 }
}
