import Core

/// The effects of reading and writing a register.
extension MPU6050State {
    private var isResetting: Bool { time < resetEnd }

    mutating func write(_ value: UInt8, to register: UInt8, feeling source: RememberedSource) {
        guard !isResetting, !loses(value, to: register) else { return }
        switch register {
        case Map.powerManagement1 where value & Map.Power1.deviceReset != 0:
            reset()
        case Map.fifoReadWrite:
            if registers.fifoIsEnabled, fifo.push(value) { raise(Map.Interrupt.fifoOverflow, at: time) }
        case Map.userControl:
            registers[register] = value
            control(value)
        case Map.accelConfig:
            // The held sample was taken before the write, in the old range.
            let current = latestConversion(feeling: source)
            let wasHolding = registers.highPass == .hold
            registers[register] = value
            guard registers.highPass == .hold, !wasHolding else { return }
            let isFiltered = time >= filteredSince + quirks.filterTime
            motion.reference = isFiltered ? current?.inG : .zero
        case Map.motionDetectControl where registers.kind == .mpu6500:
            let wasIdle = registers.highPass != .previous
            registers[register] = value
            if wasIdle { motion.reference = latestConversion(feeling: source)?.inG }
        default:
            let before = (registers.bandwidth, registers.fifoCapacity)
            registers[register] = value
            if registers.fifoCapacity != before.1 { fifo = ByteFIFO(capacity: registers.fifoCapacity) }
            if registers.bandwidth != before.0 { filteredSince = time }
            samplingMayHaveChanged()
        }
    }

    /// Whether a quirk of this chip loses the write.
    private mutating func loses(_ value: UInt8, to register: UInt8) -> Bool {
        if let lost = quirks.lostWrite, lost.register == register, lost.value == value {
            quirks.lostWrite = nil
            return true
        }
        return register != Map.powerManagement1 && time < wokeAt + quirks.deafAfterWaking
    }

    /// The bits of USER_CTRL that trigger an action. FIFO_RESET works only while the FIFO is disabled (§4.27).
    private mutating func control(_ value: UInt8) {
        if value & Map.UserControl.fifoReset != 0, !registers.fifoIsEnabled { fifo.removeAll() }
        if value & Map.UserControl.signalConditioningReset != 0 { clearOutputs() }
    }

    mutating func read(from register: UInt8, feeling source: RememberedSource) -> UInt8 {
        let value = output(of: register, feeling: source)
        if register == Map.interruptStatus || registers.clearsStatusOnAnyRead {
            interruptStatus = 0
            interruptIsHeld = quirks.overflowIsStuck && registers.enables(Map.Interrupt.fifoOverflow)
        }
        return value
    }

    private mutating func output(of register: UInt8, feeling source: RememberedSource) -> UInt8 {
        switch register {
        case Map.powerManagement1: return registers[register] | (isResetting ? Map.Power1.deviceReset : 0)
        case Map.interruptStatus:
            return interruptStatus | (quirks.overflowIsStuck ? Map.Interrupt.fifoOverflow : 0)
        case Map.motionDetectStatus:
            defer { motionStatus = 0 }
            return motionStatus
        case Map.accelOutput:
            let offset = Int(register - Map.accelOutput.lowerBound)
            let counts = latestConversion(feeling: source)?.counts ?? .zero
            return UInt8(truncatingIfNeeded: offset % 2 == 0 ? counts[offset / 2] >> 8 : counts[offset / 2])
        case Map.temperatureHigh: return UInt8(truncatingIfNeeded: measuredTemperature(feeling: source) >> 8)
        case Map.temperatureLow: return UInt8(truncatingIfNeeded: measuredTemperature(feeling: source))
        case Map.fifoCountHigh:
            latchedFIFOCount = UInt16(fifo.count)
            return UInt8(latchedFIFOCount >> 8)
        case Map.fifoCountLow: return UInt8(truncatingIfNeeded: latchedFIFOCount)
        case Map.fifoReadWrite: return registers.fifoIsEnabled ? fifo.pop() : fifo.lastRead
        case Map.whoAmI: return identity
        default: return registers[register]
        }
    }
}
