import Domains
import Sensing
import System
import Devices
import Core

/// Waits on an event loop for the causes in the agenda of a `SensingService`, such as a time, an edge of the step line
/// or the IMU's interrupt.
public final class AgendaWait {
    /// The name of a watch; there is one watch for each.
    enum Name: Equatable {
        case source(SourceKind)
        /// The bell of the phone's reports.
        case reportBell
        case wakeFile
        case node(String)
    }

    /// A watch on the subject, which is retained until the watch has ended.
    private struct Watch {
        let name: Name
        let subject: AnyObject
        var source: (any EventSource)?
    }

    private let loop: any EventLoop
    private let journal: Journal
    private let onWake: (SensingService.WakeCause) -> Void
    private var timer: (any EventTimer)?
    private var watches: [Watch] = []
    /// The watches that failed when last tried. Every wake-up tries them again, and `retry` causes one.
    private var missing: [Name] = []
    private var retry = Retry(DoublingWait(first: .seconds(10), longest: .minutes(1)))
    /// The handlers of watches that were made late, to be called because of earlier changes.
    private var late: [() -> Void] = []
    /// Drained when its watch begins and ends, and when it wakes the process.
    private var motionLine: (any PulseLine)?

    /// `onWake` is called with the cause of the wake-up, and must call `wait` again.
    public init(
        loop: any EventLoop, journal: Journal, onWake: @escaping (SensingService.WakeCause) -> Void
    ) throws(LoopError) {
        self.loop = loop
        self.journal = journal
        self.onWake = onWake
        timer = try loop.timer { [weak self] in self?.timerFired() }
    }

    private func timerFired() {
        let looks = late
        late = []
        for look in looks { look() }
        onWake(.timer)
    }

    /// Arms the timer and the watches for the agenda of `service`. `other` is a further time for the timer; the earlier
    /// time counts.
    public func wait(for service: SensingService, on devices: any DaemonDevices, orUntil other: BootTime? = nil) {
        let agenda = service.agenda(at: loop.now)
        watch(.pulses, agenda.watchesPulses ? service.pulseLine : nil, service.pulseLine?.fileDescriptor)
        watch(.positions, service.positions, service.positions?.fileDescriptor)
        watch(service.inbox)
        motionLine = devices.motionLine
        if agenda.watchesMotion != watches.contains(where: { $0.name == .source(.imu) }) { takeMotion() }
        watch(.imu, agenda.watchesMotion ? motionLine : nil, motionLine?.fileDescriptor)
        if missing.isEmpty { retry.succeeded() }
        let lookAt = late.isEmpty ? nil : loop.now.boot
        if let wakeAt = [agenda.wakeAt, other, retry.due, lookAt].compactMap({ $0 }).min() {
            timer?.arm(at: wakeAt, slack: agenda.slack)
        } else {
            timer?.disarm()
        }
    }

    private func watch(_ kind: SourceKind, _ subject: AnyObject?, _ descriptor: Int32?) {
        let subject = descriptor == nil ? nil : subject
        if isKept(.source(kind), on: subject) { return }
        let look = { [weak self] in
            if kind == .imu { self?.takeMotion() }
            self?.onWake(.source(kind))
        }
        keep(.source(kind), on: subject, look, orTell: tell) { handler throws(LoopError) in
            try descriptor.map { descriptor throws(LoopError) in try loop.watch(descriptor, handler) }
        }
    }

    private func tell(_ error: LoopError) {
        journal.log(.error, .lineFailed, "cannot wait for a device: \(error); trying again")
    }

    /// Watches the folder for the phone's reports, and its bell, while the folder is open.
    private func watch(_ inbox: (any ReportInbox)?) {
        let hasBell = inbox?.bell != nil
        if isKept(.source(.reports), on: inbox), isKept(.reportBell, on: hasBell ? inbox : nil) { return }
        let look = { [weak self] in self?.onWake(.source(.reports)) ?? () }
        let tell = { [journal] (error: LoopError) in
            journal.log(
                .error, .inboxFailed, domains: Domain.on(.companionInbox),
                "\(inbox?.directory ?? "") cannot be watched: \(error); trying again")
        }
        keep(.source(.reports), on: inbox, look, orTell: tell) { handler throws(LoopError) in
            guard let inbox else { return nil }
            return try loop.onChange(in: inbox.directory, handler)
        }
        let ring = { [weak inbox] in
            inbox?.silenceBell()
            look()
        }
        keep(.reportBell, on: hasBell ? inbox : nil, ring, orTell: tell) { handler throws(LoopError) in
            guard let bell = inbox?.bell else { return nil }
            return try loop.watch(bell, handler)
        }
    }

    /// Whether `keep` has nothing to do. Checked before its closures are made, because most wake-ups change no watch.
    private func isKept(_ name: Name, on subject: AnyObject?) -> Bool {
        if let kept = watches.first(where: { $0.name == name }) { return kept.subject === subject }
        return subject == nil && !missing.contains(name)
    }

    /// Watches the subject until it is another one or nil.
    ///
    /// `look` is the handler of the watch. `tell` is called with the first failure in a row. `make` returns nil if the
    /// subject cannot be watched and needs no retry before the next wake-up.
    ///
    /// Returns true for a new watch and for a first failure: earlier changes were not reported.
    @discardableResult func keep(
        _ name: Name, on subject: AnyObject?, _ look: @escaping () -> Void, orTell tell: (LoopError) -> Void,
        _ make: (@escaping () -> Void) throws(LoopError) -> (any EventSource)?
    ) -> Bool {
        if isKept(name, on: subject) { return false }
        let wasMissing = missing.contains(name)
        drop { $0 == name }
        guard let subject else { return false }
        do throws(LoopError) {
            guard let source = try make(look) else { return false }
            watches.append(Watch(name: name, subject: subject, source: source))
            if wasMissing { late.append(look) }
        } catch {
            if !wasMissing { tell(error) }
            missing.append(name)
            retry.failed(at: loop.now.boot)
            return !wasMissing
        }
        return true
    }

    /// Ends watches, which must happen before their descriptors are closed, and gives up missing ones.
    func drop(_ isDropped: (Name) -> Bool) {
        missing.removeAll(where: isDropped)
        for index in watches.indices where isDropped(watches[index].name) { watches[index].source = nil }
        watches.removeAll { $0.source == nil }
    }

    /// Ends the watches on the lines and on gpsd. Call it before a line is closed.
    public func dropWatches() {
        drop { $0 == .source(.pulses) || $0 == .source(.imu) || $0 == .source(.positions) }
        motionLine = nil
    }

    /// Drains the interrupt line: several edges mean the same as one, and an old edge means nothing.
    private func takeMotion() {
        guard let motionLine else { return }
        do {
            _ = try motionLine.drain(at: loop.now.boot)
        } catch {
            journal.log(.warning, .lineFailed, "the IMU's interrupt: \(error.lineAdvice)")
        }
    }
}
