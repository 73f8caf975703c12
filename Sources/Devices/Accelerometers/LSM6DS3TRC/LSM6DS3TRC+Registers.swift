// The registers that the driver uses, with the values that it writes. Sources as in LSM6DS3TRC.swift.

/// Names as in the chip's register map.
extension NamedRegister where Driver == LSM6DS3TRC {
    static var fifoControl1: Self { Self(0x06, "FIFO_CTRL1") }
    static var fifoControl2: Self { Self(0x07, "FIFO_CTRL2") }
    static var fifoControl4: Self { Self(0x09, "FIFO_CTRL4") }
    static var control10: Self { Self(0x19, "CTRL10_C") }
    /// Low byte first.
    static var stepCounter: Self { Self(0x4B, "STEP_COUNTER_L") }
}

extension LSM6DS3TRC {
    static let fifoSelection = Register(0x08, "FIFO_CTRL3")
    static let fifoMode = Register(0x0A, "FIFO_CTRL5")
    /// The FIFO's 16-bit port, low byte first (ST, LX). A long read cycles through it.
    static let fifoOutput = Register(0x3E, "FIFO_DATA_OUT_L")
    static let interruptEnable = Register(0x58, "TAP_CFG")

    var ownSettings: LSM6Settings<LSM6DS3TRC> {
        LSM6Settings(
            control4: 0x00,
            fifo: [
                // The step counter, or it and its like off: bit 2 for all such functions, bit 4 for steps (ST, AS, NH).
                (.control10, countsSteps ? 0x14 : 0x00),
                // No watermark, and neither the thermometer nor the step counter in the FIFO.
                (.fifoControl1, 0x00),
                (.fifoControl2, 0x00),
                (Self.fifoSelection, Self.fifo.selection(.windows)),
                // No sensor-hub data in the FIFO, and no stop at a watermark (ST, from memory).
                (.fifoControl4, 0x00),
            ],
            // One difference beyond the threshold is enough.
            detector: [(.wakeThreshold, wakeThreshold), (.wakeDuration, 0x00)])
    }
}
