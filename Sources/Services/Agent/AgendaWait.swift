import Journaling
import Ports
import Quantities
import Sensing

/// Waits on an event loop for the causes in the agenda of a `SensingService`: a time, an edge of the step line, the
/// IMU's interrupt.
public final class AgendaWait {
    private let loop: any EventLoop
    private let journal: Journal
    private let onWake: (SensingService.WakeCause) -> Void
    private var timer: (any EventTimer)?
    private var pulseWatch: (any EventSource)?
    private var motionWatch: (any EventSource)?
    private var positionWatch: (any EventSource)?
    /// Kept until the watch has ended.
    private var watchedPositions: (any PositionSource)?
    /// On the folder for the phone's reports, and on its bell.
    private var inboxWatches: [any EventSource] = []
    /// Kept until the watches have ended.
    private var watchedInbox: (any ReportInbox)?
    /// Whether the folder could not be watched when that was last tried.
    private var missesReports = false
    /// Whether a descriptor could not be watched when that was last tried.
    private var isMissingWatch = false
    /// Drained when the watch on it begins and ends, and when it wakes.
    private var motionLine: (any PulseLine)?

    /// - Parameter onWake: called with the cause of the wake-up; has to call `wait` again.
    public init(
        loop: any EventLoop, journal: Journal, onWake: @escaping (SensingService.WakeCause) -> Void
    ) throws(LoopError) {
        self.loop = loop
        self.journal = journal
        self.onWake = onWake
        timer = try loop.timer { [weak self] in self?.onWake(.timer) }
    }

    /// Arms the timer and the watches for the agenda of `service`.
    ///
    /// - Parameter other: a further time for the timer; the sooner one counts.
    public func wait(for service: SensingService, on devices: any DaemonDevices, orUntil other: BootTime? = nil) {
        let agenda = service.agenda(at: loop.now)
        if let wakeAt = [agenda.wakeAt, other].compactMap({ $0 }).min() {
            timer?.arm(at: wakeAt, slack: agenda.slack)
        } else {
            timer?.disarm()
        }
        pulseWatch = watching(
            agenda.watchesPulses, with: pulseWatch, on: service.pulseLine?.fileDescriptor
        ) { [weak self] in
            self?.onWake(.pulses)
        }
        watch(agenda.watchesInbox ? service.inbox : nil)
        watch(agenda.watchesPositions ? service.positions : nil)
        motionLine = devices.motionLine
        if agenda.watchesMotion != (motionWatch != nil) { takeMotion() }
        motionWatch = watching(
            agenda.watchesMotion, with: motionWatch, on: motionLine?.fileDescriptor
        ) { [weak self] in
            self?.takeMotion()
            self?.onWake(.motion)
        }
    }

    /// Follows the folder for the phone's reports, as long as it is open. Where that fails it is tried again with every wake-up, and what came
    /// meanwhile is read then.
    private func watch(_ inbox: (any ReportInbox)?) {
        guard inbox !== watchedInbox else { return }
        inboxWatches = []
        watchedInbox = nil
        guard let inbox else {
            missesReports = false
            return
        }
        do throws(LoopError) {
            inboxWatches = try watches(of: inbox)
            watchedInbox = inbox
            missesReports = false
        } catch {
            inboxWatches = []
            guard !missesReports else { return }
            missesReports = true
            journal.log(
                .error, .inboxFailed, domain: .screenTime,
                "\(inbox.directory) cannot be watched: \(error); trying again with every wake-up")
        }
    }

    private func watches(of inbox: any ReportInbox) throws(LoopError) -> [any EventSource] {
        var watches = [try loop.onChange(in: inbox.directory) { [weak self] in self?.onWake(.reports) }]
        if let bell = inbox.bell {
            watches.append(
                try loop.watch(bell) { [weak self, weak inbox] in
                    inbox?.silenceBell()
                    self?.onWake(.reports)
                })
        }
        if missesReports {
            let look = try loop.timer { [weak self] in self?.onWake(.reports) }
            look.arm(at: loop.now.boot, slack: .zero)
            watches.append(look)
        }
        return watches
    }

    /// Follows what gpsd sends, as long as the connection is held.
    private func watch(_ positions: (any PositionSource)?) {
        guard positions !== watchedPositions else { return }
        positionWatch = nil
        positionWatch = watching(positions != nil, with: nil, on: positions?.fileDescriptor) { [weak self] in
            self?.onWake(.positions)
        }
        watchedPositions = positionWatch == nil ? nil : positions
    }

    /// Ends the watches, before a line is closed.
    public func dropWatches() {
        watch(nil as (any PositionSource)?)
        pulseWatch = nil
        motionWatch = nil
        motionLine = nil
    }

    /// Keeps the present watch, makes one, or drops it. Where that fails it is tried again with every wake-up.
    private func watching(
        _ isWanted: Bool, with watch: (any EventSource)?, on descriptor: Int32?, _ handler: @escaping () -> Void
    ) -> (any EventSource)? {
        guard isWanted, let descriptor else { return nil }
        if let watch { return watch }
        do {
            let watch = try loop.watch(descriptor, handler)
            isMissingWatch = false
            return watch
        } catch {
            if !isMissingWatch {
                journal.log(.error, .lineFailed, "cannot wait for a device: \(error); trying again with every wake-up")
            }
            isMissingWatch = true
            return nil
        }
    }

    /// Empties the interrupt line: several edges mean the same as one, and an old edge means nothing.
    private func takeMotion() {
        guard let motionLine else { return }
        do {
            _ = try motionLine.drain(at: loop.now.boot)
        } catch {
            journal.log(.warning, .lineFailed, "the IMU's interrupt: \(error.lineAdvice)")
        }
    }
}
