import Testing

/// `anicca wearer`
@Suite struct WearerCommandTests {
    @Test func measuresThatDoNotOpenAreNotReplacedButCanBeCleared() throws {
        let (device, _) = try TestDevice.withStore()
        #expect(try device.anicca("wearer", "set", "--height", "178", "--weight", "74").status == 0)
        try device.tamper("UPDATE book SET sealed = zeroblob(60)")
        let shown = try device.anicca("wearer")
        #expect(shown.status == 69 && !shown.messages.isEmpty)
        let changed = try device.anicca("wearer", "set", "--height", "160")
        #expect(changed.status == shown.status && changed.output.isEmpty)
        #expect(changed.messages.contains("anicca wearer clear"))
        #expect(try device.anicca("wearer", "clear").status == 0)
        #expect(try device.anicca("wearer", "set", "--height", "160").output == "height 160 cm\n")
    }
}
