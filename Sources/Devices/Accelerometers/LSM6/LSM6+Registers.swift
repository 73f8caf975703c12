// The registers and settings common to all LSM6 chips. Sources as in LSM6DSO.swift.

/// Names as in ST's register maps.
extension NamedRegister where Driver: LSM6Driver {
    /// A value other than 0 replaces these registers by those of the embedded functions or, in an LSM6DSO, of the
    /// sensor hub.
    static var functionAccess: Self { Self(0x01, "FUNC_CFG_ACCESS") }
    static var interrupt1Control: Self { Self(0x0D, "INT1_CTRL") }
    static var interrupt2Control: Self { Self(0x0E, "INT2_CTRL") }
    static var whoAmI: Self { Self(0x0F, "WHO_AM_I") }
    static var control1: Self { Self(0x10, "CTRL1_XL") }
    static var control2: Self { Self(0x11, "CTRL2_G") }
    static var control3: Self { Self(0x12, "CTRL3_C") }
    static var control4: Self { Self(0x13, "CTRL4_C") }
    static var control5: Self { Self(0x14, "CTRL5_C") }
    static var control6: Self { Self(0x15, "CTRL6_C") }
    static var control7: Self { Self(0x16, "CTRL7_G") }
    static var control8: Self { Self(0x17, "CTRL8_XL") }
    static var wakeSource: Self { Self(0x1B, "WAKE_UP_SRC") }
    /// Low byte first.
    static var temperature: Self { Self(0x20, "OUT_TEMP_L") }
    /// FIFO_STATUS1 and 2: the level, low byte first, with flags in the upper bits.
    static var fifoStatus: Self { Self(0x3A, "FIFO_STATUS1") }
    static var wakeThreshold: Self { Self(0x5B, "WAKE_UP_THS") }
    static var wakeDuration: Self { Self(0x5C, "WAKE_UP_DUR") }
    /// MD1_CFG and MD2_CFG: the events routed to INT1 and INT2.
    static var interruptPin1: Self { Self(0x5E, "MD1_CFG") }
    static var interruptPin2: Self { Self(0x5F, "MD2_CFG") }
    static var offsetX: Self { Self(0x73, "X_OFS_USR") }
    static var offsetY: Self { Self(0x74, "Y_OFS_USR") }
    static var offsetZ: Self { Self(0x75, "Z_OFS_USR") }
}

/// The settings in which the LSM6 chips differ.
struct LSM6Settings<Driver> {
    let control4: UInt8
    /// Written before the offsets, the detector after them.
    let fifo: RegisterValues<NamedRegister<Driver>>
    let detector: RegisterValues<NamedRegister<Driver>>
}

extension LSM6Driver {
    /// All settings that `initialise` writes and windows rely on, in the order of writing: running parts stop first. A
    /// change of the rate also writes the FIFO's selection, and checks another of these settings.
    var settings: RegisterValues<Register> {
        let own = ownSettings
        let beginning: RegisterValues<Register> = [
            // First, because it can hide the others (SO, AS, AP). LX waits 100 µs after a change of bit 6; at 400 kHz
            // the read-back takes that long.
            (.functionAccess, 0x00),
            (.control1, LSM6.Control1.off),
            (.control2, 0x00),
            (Self.fifoMode, LSM6.FIFOMode.bypass),
            (Self.interruptEnable, Self.interrupts.off),
            (.interruptPin1, LSM6.Wake.offPin),
            (.interruptPin2, LSM6.Wake.offPin),
            (.interrupt1Control, 0x00),
            (.interrupt2Control, 0x00),
            (.control3, LSM6.control3),
            (.control4, own.control4),
            // No ultra-low power, no self-test (SO).
            (.control5, 0x00),
            (.control6, LSM6.Power.highPerformance),
            (.control7, 0x00),
            // XL_FS_MODE off: it would turn ±16 g of an LSM6DSO into ±2 g (SO, QL). No additional filter.
            (.control8, 0x00),
        ]
        // Offsets that another program may have left (names in QL).
        let offsets: RegisterValues<Register> = [(.offsetX, 0x00), (.offsetY, 0x00), (.offsetZ, 0x00)]
        return beginning + own.fifo + offsets + own.detector
    }
}
