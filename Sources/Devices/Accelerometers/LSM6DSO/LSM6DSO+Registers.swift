// The registers that the driver uses, with the values that it writes. Sources as in LSM6DSO.swift.

/// Names as in the chip's register map.
extension NamedRegister where Driver == LSM6DSO {
    static var fifoControl1: Self { Self(0x07, "FIFO_CTRL1") }
    static var fifoControl2: Self { Self(0x08, "FIFO_CTRL2") }
    static var control9: Self { Self(0x18, "CTRL9_XL") }
    static var tapConfiguration0: Self { Self(0x56, "TAP_CFG0") }
    static var internalFrequency: Self { Self(0x63, "INTERNAL_FREQ_FINE") }

    /// In the bank of the embedded functions.
    static var functionEnable: Self { Self(0x04, "EMB_FUNC_EN_A") }
    /// In the same bank, low byte first.
    static var stepCounter: Self { Self(0x62, "STEP_COUNTER_L") }
}

extension LSM6DSO {
    static let fifoSelection = Register(0x09, "FIFO_CTRL3")
    static let fifoMode = Register(0x0A, "FIFO_CTRL4")
    static let interruptEnable = Register(0x58, "TAP_CFG2")
    /// The tag of a word, then X, Y and Z, low byte first. A long read cycles through the seven bytes, and each cycle
    /// takes the next word (SO, LX).
    static let fifoOutput = Register(0x78, "FIFO_DATA_OUT_TAG")

    var ownSettings: LSM6Settings<LSM6DSO> {
        LSM6Settings(
            // DRDY_MASK: samples of an unsettled filter are marked.
            control4: 0x08,
            fifo: [
                // I3C off (SO, AS).
                (.control9, 0x02),
                // No watermark, which could stop the filling; no compression.
                (.fifoControl1, 0x00),
                (.fifoControl2, 0x00),
                (Self.fifoSelection, Self.fifo.selection(.windows)),
            ],
            detector: [
                // Latched; reading the source clears it at once (SO, LX). Slope instead of high-pass (SO).
                (.tapConfiguration0, 0x41),
                (.wakeThreshold, wakeThreshold.steps),
                // One difference beyond the threshold is enough.
                (.wakeDuration, wakeThreshold.isFine ? 0x10 : 0x00),
            ])
    }
}
