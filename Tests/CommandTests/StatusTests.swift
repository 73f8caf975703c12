import Domains
import LaterVersion
import Store
import Devices
import System
import Core
import Sensing
import Signal
import Testing

@Suite struct StatusTests {
    @Test func withoutAStoreItSaysWhoMakesOne() throws {
        let outcome = try TestDevice().anicca("status")
        #expect(outcome.status == 69)
        #expect(outcome.output.isEmpty)
        #expect(outcome.messages.contains("start aniccad"))
    }

    @Test func atFirstEverythingIsOffAndNothingWaits() throws {
        let (device, _) = try TestDevice.withStore()
        let json: [String: Any] = try device.anicca("status", "--json").json()
        let toggles = try #require(json["toggles"] as? [String: [String: Any]])
        #expect(toggles.count == Domain.all.count)
        #expect(toggles.values.allSatisfy { $0["on"] as? Bool == false && $0["since"] == nil })
        let delivery = try #require(json["delivery"] as? [String: Any])
        #expect(delivery["queuedDays"] as? Int == 0)
        #expect(delivery["paused"] as? Bool == false)
        #expect(delivery["lastAttempt"] == nil)
        #expect((json["store"] as? String)?.hasSuffix("/store/ledger.sqlite") == true)
    }

    @Test func theWearersDayIsShownBesideThatOfTheRecord() throws {
        let (device, ledger) = try TestDevice.withStore("[wearer]\ntime-zone = Pacific/Kiritimati")
        let now = Instant.nowFarFromMidnight()
        try ledger.change([.reply(.steps, .agreedWholly(to: .health))], at: now.wall)
        let json: [String: Any] = try device.anicca("status", "--json").json()
        let day = try #require(json["localDay"] as? [String: Any])
        // 14 hours ahead of UTC.
        #expect(day["date"] as? String == "\(UTCDay(containing: now.wall + .hours(14)))")
        #expect(day["timeZone"] as? String == "Pacific/Kiritimati")
        #expect(try JSONSchema("status").faults(of: json) == [])
        #expect(try device.anicca("status").output.contains(" in Pacific/Kiritimati\n"))
        #expect(try TestDevice.withStore().0.status("localDay") == nil)
    }

    @Test func showsSinceWhenADomainIsOn() throws {
        let device = try TestDevice()
        let time = try #require(WallTime("2025-03-01T10:00:00Z"))
        try device.makeStore().change([.reply(.steps, .agreedWholly(to: .health))], at: time)
        let toggles = try toggles(of: device)
        #expect(toggles["steps"]?["on"] as? Bool == true)
        #expect(toggles["steps"]?["since"] as? String == time.description)
        #expect(try device.anicca("status").output.contains("  steps             on   since \(time)\n"))
    }

    @Test func namesTheStatusOfWhatIsNotAuthorized() throws {
        let device = try TestDevice()
        let time = try #require(WallTime("2025-03-01T10:00:00Z"))
        let ledger = try device.makeStore()
        try ledger.change([.reply(.motion, .agreedWholly(to: .motion))], at: time)
        try ledger.change([.found(.motion, .refused)], at: time)
        let toggles = try toggles(of: device)
        #expect(toggles["motion"]?["status"] as? String == "denied")
        #expect(toggles["steps"]?["status"] as? String == "notDetermined")
        let text = try device.anicca("status").output
        #expect(text.contains("  motion            off  since \(time)  denied\n"))
        #expect(text.contains("  steps             off  notDetermined\n"))
    }

    @Test func whatIsSuspendedSaysWhyAndWhatToDo() throws {
        let device = try TestDevice("[imu]\nbus = /dev/i2c-nowhere")
        let now = Instant.now
        let ledger = try device.makeStore()
        try ledger.change([.reply(.motion, .agreedWholly(to: .motion))], at: now.wall)
        try ledger.change([.found(.motion, .absent)], at: now.wall)
        let motion = try #require(try toggles(of: device)["motion"])
        #expect(motion["suspended"] as? Bool == true)
        #expect((motion["reason"] as? String)?.contains("/dev/i2c-nowhere") == true)
        #expect((motion["advice"] as? String)?.isEmpty == false)
        #expect(try device.anicca("status").output.contains("  suspended         motion: /dev/i2c-nowhere"))
        let doctor = try device.anicca("doctor")
        #expect(doctor.lines.contains { $0.hasPrefix("warning  suspended       motion: /dev/i2c-nowhere") })
    }

    @Test func saysWhatIsSentNextAndWhen() throws {
        let (device, _) = try TestDevice.withStore("[server]\nbase-url = http://127.0.0.1:1")
        let next = try #require(try device.status("delivery")?["next"] as? [String: Any])
        let due = try #require((next["at"] as? String).flatMap { WallTime($0) })
        #expect(due > Instant.now.wall && due < Instant.now.wall + .hours(28))
        let unnamed = try TestDevice()
        try unnamed.makeStore()
        #expect(try unnamed.anicca("status").output.contains("  next delivery     waits for a server: base-url"))
    }

    @Test func showsTheLastPulseWhileStepsAreOn() throws {
        let (device, ledger) = try TestDevice.withStore()
        let now = Instant.now
        try ledger.commit(Batch(checkpoint: walk(of: 20, endingAt: now).checkpoint(at: now)))
        #expect(try device.status("daemon")?["lastPulse"] == nil)
        #expect(try device.status("daemon")?["running"] as? Bool == false)
        try ledger.change([.reply(.steps, .agreedWholly(to: .health))], at: now.wall)
        #expect(try device.status("daemon")?["lastPulse"] as? String != nil)
    }

    @Test func showsTodaysFiguresOfTheDaemonsLastCommit() throws {
        let (device, ledger) = try TestDevice.withStore()
        let now = Instant.nowFarFromMidnight()
        try ledger.change([.reply(.steps, .agreedWholly(to: .health))], at: now.wall)
        try ledger.commit(Batch(checkpoint: walk(of: 20, endingAt: now).checkpoint(at: now)))

        let today = try #require(try device.status("today"))
        #expect(today["steps"] as? Int == 20)
        #expect(today["stepSource"] as? String == "pulses")
        #expect(try device.anicca("status").output.contains("20, from the step sensor\n"))
        #expect(today["date"] as? String == UTCDay(containing: now.wall).description)
    }

    @Test func stepsWithoutPulsesComeFromTheAccelerometer() throws {
        let device = try TestDevice()
        let now = Instant.nowFarFromMidnight()
        _ = try storeOfSteps(of: device, after: [.sensorOpened()], at: now)

        let today = try device.status("today")
        #expect(today?["stepSource"] as? String == "imu")
        #expect(try device.anicca("status").output.contains("  steps             0, from the accelerometer\n"))
    }

    @Test func whatTheWearerDoesIsShownWhileMotionIsOnAlone() throws {
        let device = try TestDevice()
        let now = Instant.nowFarFromMidnight()
        let window = SensingEvent.window(try #require(stillness), waiting: 0)
        let ledger = try storeOfSteps(of: device, after: [.sensorOpened(), .windowStarted, window], at: now)
        #expect(try device.status("today")?["lastWindow"] != nil)
        #expect(try device.status("today")?["activity"] == nil)
        try ledger.change([.reply(.motion, .agreedWholly(to: .motion))], at: now.wall)
        #expect(try device.status("today")?["activity"] != nil)
    }

    private func toggles(of device: TestDevice) throws -> [String: [String: Any]] {
        try #require(try device.status("toggles") as? [String: [String: Any]])
    }

    /// A store with the state of a session that counts steps in acceleration, and to which this has happened.
    private func storeOfSteps(
        of device: TestDevice, after events: [SensingEvent], at now: Instant
    ) throws -> Ledger {
        let ledger = try device.makeStore()
        try ledger.change([.reply(.steps, .agreedWholly(to: .health))], at: now.wall)
        var session = SensingSession(stepSource: .imu, boot: try BootID.current())
        _ = session.handle(.ordered(CollectionOrder(domains: DomainSet(.steps))), at: now)
        for event in events { _ = session.handle(event, at: now) }
        try ledger.commit(Batch(checkpoint: session.checkpoint(at: now)))
        return ledger
    }

    private var stillness: Window? {
        Window([Acceleration](repeating: Acceleration(x: 0, y: 0, z: 1), count: Window.length))
    }

    @Test func figuresOfADomainThatIsOffAreNotShown() throws {
        let device = try TestDevice()
        let now = Instant.now
        try device.makeStore().commit(Batch(checkpoint: walk(of: 20, endingAt: now).checkpoint(at: now)))
        #expect(try device.status("today")?["steps"] == nil)
    }

    @Test func aCheckpointOfAnotherVersionCostsOnlyTodaysFigures() throws {
        let device = try TestDevice()
        try device.makeStore().commit(Batch(checkpoint: [0xFF]))
        let outcome = try device.anicca("status")
        #expect(outcome.status == 0)
        #expect(outcome.messages.contains("today's figures are missing"))
        #expect(outcome.output.contains("Delivery"))
    }

    /// A session that has counted steps, two a second.
    private func walk(of steps: Int, endingAt now: Instant) throws -> SensingSession {
        let length = Interval.milliseconds(500) * Int64(steps)
        let began = Instant(boot: now.boot - length, wall: now.wall - length)
        var session = SensingSession(boot: try BootID.current())
        _ = session.handle(.ordered(CollectionOrder(domains: DomainSet(.steps))), at: began)
        _ = session.handle(.lineOpened(kernelBuffer: 1024), at: began)
        let pulses = (0..<steps).map { began.boot + .milliseconds(500) * Int64($0) }
        _ = session.handle(.pulses(PulseBatch(pulses: pulses)), at: now)
        return session
    }
}
