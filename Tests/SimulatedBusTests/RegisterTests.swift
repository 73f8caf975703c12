import Core
import SimulatedBus
import Testing

@Suite struct RegisterTests {
    let bench = Bench()

    @Test func afterPowerUpItSleepsAndSaysWhatItIs() throws {
        #expect(try bench.get(Reg.pwrMgmt1) == 0x40)
        #expect(try bench.get(Reg.whoAmI) == 0x68)
        for register in UInt8(0)...0x7F where register != Reg.pwrMgmt1 && register != Reg.whoAmI {
            #expect(try bench.get(register) == 0, "register \(register)")
        }
    }

    @Test(arguments: [
        Reg.smplrtDiv, Reg.motThr, Reg.motDur, Reg.fifoEn, Reg.accelConfig, Reg.pwrMgmt2,
    ])
    func settingsReadBackAsleepAndAwake(register: UInt8) throws {
        try bench.set(register, 0xA5)
        #expect(try bench.get(register) == 0xA5)
        try bench.set(Reg.pwrMgmt1, 0x00)
        bench.wait(.seconds(1))
        try bench.set(Reg.pwrMgmt1, 0x40)
        bench.wait(.seconds(1))
        #expect(try bench.get(register) == 0xA5)
    }

    @Test(arguments: [Reg.whoAmI, Reg.intStatus, Reg.accelXoutH, Reg.fifoCountH, Reg.motDetectStatus])
    func writingWhatIsReadOnlyChangesNothing(register: UInt8) throws {
        let before = try bench.get(register)
        try bench.set(register, 0xFF)
        #expect(try bench.get(register) == before)
    }

    @Test(arguments: [UInt8(0x00), 0x18, 0x39, 0x62, 0x6D, 0x76, 0xFF])
    func registersThatTheDatasheetDoesNotKnowReadZero(register: UInt8) throws {
        try bench.set(register, 0xFF)
        #expect(try bench.get(register) == 0)
    }

    @Test func reservedBitsStayClear() throws {
        try bench.set(Reg.config, 0xFF)
        #expect(try bench.get(Reg.config) == 0x3F)
        try bench.set(Reg.intEnable, 0xFF)
        #expect(try bench.get(Reg.intEnable) == 0xF9)
    }

    @Test func resetBitsClearThemselves() throws {
        try bench.set(Reg.userCtrl, 0x07)
        #expect(try bench.get(Reg.userCtrl) == 0)
        try bench.set(0x68, 0x07)
        #expect(try bench.get(0x68) == 0)
    }

    @Test func aDeviceResetRestoresEverything() throws {
        try bench.wake()
        try bench.fillFIFO()
        try bench.set(Reg.intEnable, 0x40)
        bench.wait(.seconds(1))
        try bench.set(Reg.pwrMgmt1, 0x80)
        #expect(try bench.get(Reg.pwrMgmt1) == 0x40)
        #expect(try bench.get(Reg.smplrtDiv) == 0)
        #expect(try bench.get(Reg.intEnable) == 0)
        #expect(try bench.get(Reg.intStatus) == 0)
        #expect(try bench.fifoCount() == 0)
        #expect(try bench.words(3, from: Reg.accelXoutH) == [0, 0, 0])
    }

    @Test func aResetThatTakesTimeShowsItsBitAndLosesWrites() throws {
        bench.chip.quirks.resetTime = .milliseconds(100)
        try bench.set(Reg.pwrMgmt1, 0x80)
        try bench.set(Reg.smplrtDiv, 39)
        bench.wait(.milliseconds(99))
        #expect(try bench.get(Reg.pwrMgmt1) == 0xC0)
        bench.wait(.milliseconds(1))
        #expect(try bench.get(Reg.pwrMgmt1) == 0x40)
        #expect(try bench.get(Reg.smplrtDiv) == 0)
        try bench.set(Reg.smplrtDiv, 39)
        #expect(try bench.get(Reg.smplrtDiv) == 39)
    }

    @Test func aSignalConditioningResetClearsTheOutputs() throws {
        try bench.wake()
        bench.wait(.seconds(1))
        #expect(try bench.words(3, from: Reg.accelXoutH) == [0, 0, 16384])
        try bench.sleep()
        try bench.set(Reg.userCtrl, 0x01)
        #expect(try bench.words(3, from: Reg.accelXoutH) == [0, 0, 0])
    }
}
