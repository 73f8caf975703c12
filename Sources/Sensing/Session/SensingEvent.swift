import Domains
import Store
import Devices
import Core
import Signal

/// An event for a `SensingSession`.
public enum SensingEvent: Sendable {
    /// The time of the agenda has come, or another cause woke the process.
    case woke
    /// The domains to collect, at start and after every change.
    case ordered(CollectionOrder)

    /// The sensor answered and rests; its interrupt may be able to wake the process. It can sample in the two ways.
    case sensorOpened(hasInterrupt: Bool = true, sampling: Sampling = .wholeWindow, slow: Sampling = .slow)
    /// The window was started and fills.
    case windowStarted
    /// The window could not be taken; the sensor may still work.
    case windowLost(DeviceFault)
    /// The FIFO was drained, and this many samples of the window are still missing.
    case windowIncomplete(missing: Int)
    /// The last of a window was read, and so many samples are in the FIFO already. It goes on filling.
    case window(Window, waiting: Int = 0)
    /// Samples that the FIFO held between windows, oldest first, of which the last was taken when so many were waiting after it.
    case samples([Acceleration], waiting: Int = 0)
    /// The IMU's wake-on-motion interrupt fired, or would have fired where it is not wired.
    case moved

    /// The pulse line is held; the kernel keeps this many edges.
    case lineOpened(kernelBuffer: Int)
    /// The folder for the phone's reports, or gpsd, can be read.
    case opened(SourceKind)
    /// The source could not be opened or set up, or cannot be read any more.
    case failed(SourceKind, DeviceFault)
    /// The source has something to read: an edge, a report, a fix; or the IMU was moved.
    case waiting(SourceKind)
    case pulses(PulseBatch)
    case reports(ReportBatch)
    case fixes([Fix])

    /// Somebody told the store what is known of this boot's clock.
    case clockKnown(TrustedClock)
    /// The store took nothing; its owner passes the same data again with the next commit.
    case commitFailed
}

/// A request of a `SensingSession`. The answers come back as events.
public enum SensingAction: Equatable, Sendable {
    /// `failed`, or: `sensorOpened`, once the bus is recovered, and the chip found and set up; `lineOpened`; `opened`.
    case open(SourceKind)
    /// The chip is put to sleep, the line freed, the receiver let sleep.
    case close(SourceKind)
    /// `windowStarted` or `windowLost`.
    case startWindow
    /// Drain the FIFO: `window`, `windowIncomplete` or `windowLost`.
    case readWindow
    /// `moved` if the chip was moved since it rests; `windowLost` if it does not say.
    case askForMotion
    /// Put the chip to rest after a window, until the next is started. No answer.
    case restSensor
    /// Have the FIFO fill slowly after a window, until the next is started. No answer, or `windowLost`.
    case sampleSlowly
    /// Drain the FIFO between windows: `samples` or `windowLost`.
    case readSamples
    /// Put the chip to rest without reading its FIFO: `windowLost`.
    case abandonWindow(reason: String)
    /// `pulses` or `failed`.
    case drainPulses
    /// `reports` or `failed`. The files are deleted after the next commit.
    case readReports
    /// `fixes` or `failed`.
    case readPositions

    /// Add what was collected to the next commit.
    case store(Collected)
    /// Add the event to the next commit, and signal the sender after it.
    case raise(RaisedEvent)
    /// Enter the note into its book with the next commit.
    case keep(BookNote)
    /// Write everything down in one transaction; `commitFailed` when that cannot be done.
    case commit
    /// Report the loss to the consent keeper: the domain stays closed until it was ordered off and on again.
    case lose(DeviceLoss)
    case note(SensingNote)
}

/// An event worth a line in the log.
public enum SensingNote: Equatable, Sendable {
    case paceChanged(isRelaxed: Bool)
    case windowLost(reason: String)
    case sensorFound
    /// The source cannot be used for now.
    case failed(SourceKind, reason: String, retryIn: Interval)
    case sensorQuiet(reason: String, retryIn: Interval)
    case recovered(SourceKind)
    /// The count of edges that the kernel dropped; nil if it is unknown whether it dropped any.
    case pulsesLost(Int?)
    case raised(RaisedEvent)
    /// So many of the phone's reports were set aside, of which these are some.
    case reportsRefused(Int, [ReportBatch.Refusal])
    /// The record of a day is complete.
    case dayClosed(UTCDay)
    /// A day that has ended lacks something of these domains that was lost.
    case dayIncomplete(UTCDay, DomainSet)
    /// From now on it is known what the date is.
    case timeTrusted(TimeSource)
    /// The trusted clock was set; what no record was sent of yet follows it.
    case clockStepped(by: Interval, TimeSource)
    /// So many quarters more than before came too late for the record of their day.
    case cameLate(Int)
    /// So many quarters more than before will never have a date.
    case undated(Int)
    /// So many records of the outbox had been changed or moved outside this program.
    case recordsChanged(Int)
    /// So many records were too old to be delivered, and left the outbox.
    case expired(Int)
    /// The sensor could not be put to sleep and may go on using power. Noted once until it works again.
    case sensorStaysAwake(reason: String)
    case checkpointUnreadable
    /// Nothing can be written for now; sensing goes on, and the next commit writes the data that this one could not.
    case storeFailed(reason: String)
    case storeRecovered
    /// The session stopped, and data since the last commit is not stored.
    case stoppedUnsaved
}

/// The times and causes that are to wake a `SensingSession`.
public struct SensingAgenda: Equatable, Sendable {
    /// Nil when there is nothing to wait for.
    public var wakeAt: BootTime?
    /// Whether an edge on the pulse line is to wake the process. It need not while the kernel keeps enough edges.
    public var watchesPulses: Bool
    /// Whether the IMU's interrupt line is to wake the process.
    public var watchesMotion: Bool
    /// The time that a wake-up may be late, so that the kernel can merge it with others.
    public var slack: Interval
}

extension Sampling {
    /// 25 Hz, and a FIFO that holds a window.
    public static let wholeWindow = Sampling(
        period: .milliseconds(40), fifoDepth: Window.length * 4 / 3, startUp: .milliseconds(40))

    /// As the FIFO of an MPU-6050 fills most slowly.
    public static let slow = Sampling(period: .milliseconds(256), fifoDepth: 170, startUp: .milliseconds(256))

    /// A part of the FIFO that stays free for wake-ups that come late and for an oscillator that runs quickly.
    private var reserve: Interval { period * Int64(fifoDepth / 8) }

    /// The longest that the FIFO is left alone.
    var longestFill: Interval { period * Int64(fifoDepth) - reserve }

    /// The time that a wake-up may be late while the FIFO fills.
    var slack: Interval { min(.milliseconds(250), reserve / 2) }
}
