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

    /// The sensor answered and rests; its interrupt may wake the process. Its sampling in windows, and between them,
    /// and whether it counts steps.
    case sensorOpened(
        hasInterrupt: Bool = true, sampling: Sampling = .wholeWindow, slow: Sampling = .slow, countsSteps: Bool = false)
    /// The window was started, and the FIFO fills.
    case windowStarted
    /// The window could not be taken; the sensor may still work.
    case windowLost(DeviceFault)
    /// The FIFO was drained, and this many samples of the window are still missing.
    case windowIncomplete(missing: Int)
    /// A window was read completely. `waiting` samples are in the FIFO already, which continues to fill.
    case window(Window, waiting: Int = 0)
    /// The reading of the chip's step counter.
    case stepsCounted(UInt16)
    /// Samples from the FIFO between windows, oldest first; `waiting` samples remained in it after the last one.
    case samples([Acceleration], waiting: Int = 0)
    /// The IMU's wake-on-motion interrupt fired, or would have fired if it were wired.
    case moved

    /// The pulse line is held; the kernel buffers this many edges.
    case lineOpened(kernelBuffer: Int)
    /// The folder for the phone's reports, or gpsd, can be read; the gauge answered and sleeps.
    case opened(SourceKind)
    /// The source could not be opened or set up, or can no longer be read.
    case failed(SourceKind, DeviceFault)
    /// The source has data to read, such as an edge, a report or a fix; or the IMU was moved.
    case waiting(SourceKind)
    case pulses(PulseBatch)
    case reports(ReportBatch)
    case fixes([Fix])
    /// The gauge's measurement; nil if it is not ready.
    case measured(GaugeID, GaugeReading?)
    /// A drain of the pulse oximeter.
    case lit(PulseDrain)

    /// A row that a command of the wearer changes, as the store has it.
    case row(any BookRow)
    /// Another process stored newer knowledge of this boot's clock.
    case clockKnown(TrustedClock)
    /// The commit stored nothing; the next commit passes the same data again.
    case commitFailed
}

/// A request of a `SensingSession`. The answers come back as events.
public enum SensingAction: Equatable, Sendable {
    /// `sensorOpened`, once the bus is recovered and the chip is found and set up; `lineOpened`; `opened`; or `failed`.
    case open(SourceKind)
    /// Put the chip to sleep, free the line, or release the receiver.
    case close(SourceKind)
    /// `windowStarted` or `windowLost`.
    case startWindow
    /// Drain the FIFO: `window`, `windowIncomplete` or `windowLost`.
    case readWindow
    /// `stepsCounted`, or no answer if the counter cannot be read.
    case countSteps
    /// `moved` if the chip was moved while at rest; `windowLost` if it cannot be asked.
    case askForMotion
    /// Put the chip to rest after a window, until the next one is started. No answer.
    case restSensor
    /// Let the FIFO fill slowly after a window, until the next one is started. No answer, or `windowLost`.
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
    /// Start a measurement. No answer, or `failed`.
    case measure(GaugeID)
    /// `measured` or `failed`.
    case readGauge(GaugeID)
    /// Turn the LEDs of the pulse oximeter on, or off. No answer, or `failed`.
    case light(Bool)
    /// Drain the pulse oximeter: `lit` or `failed`.
    case readLight

    /// Add the collected data to the next commit.
    case store(Collected)
    /// Add the event to the next commit, and signal the sender after it.
    case raise(RaisedEvent)
    /// Add the note to its book with the next commit.
    case keep(BookNote)
    /// Store everything in one transaction; `commitFailed` if that is impossible.
    case commit
    /// Report the loss to the consent keeper. The domain stays closed until it has been ordered off and on again.
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
    /// The number of edges that the kernel dropped; nil if it is unknown whether it dropped any.
    case pulsesLost(Int?)
    case raised(RaisedEvent)
    /// The number of the phone's reports that were set aside, and some of them.
    case reportsRefused(Int, [ReportBatch.Refusal])
    /// The record of a day is complete.
    case dayClosed(UTCDay)
    /// A day that has ended lacks lost data of these domains.
    case dayIncomplete(UTCDay, DomainSet)
    /// From now on the date is known.
    case timeTrusted(TimeSource)
    /// The trusted clock was set; data that is in no sent record follows it.
    case clockStepped(by: Interval, TimeSource)
    /// The number of further quarters that came too late for the record of their day.
    case cameLate(Int)
    /// The number of further quarters that will never have a date.
    case undated(Int)
    /// The number of outbox records that had been changed or moved outside this program.
    case recordsChanged(Int)
    /// The number of records that were too old to be delivered, and left the outbox.
    case expired(Int)
    /// The sensor could not be put to sleep and may continue to draw power. Noted once until it works again.
    case sensorStaysAwake(reason: String)
    case checkpointUnreadable
    /// The store cannot be written now. Sensing continues, and the next commit writes the data of this one.
    case storeFailed(reason: String)
    case storeRecovered
    /// The session stopped; data since the last commit is not stored.
    case stoppedUnsaved
}

/// The times and causes that are to wake a `SensingSession`.
public struct SensingAgenda: Equatable, Sendable {
    /// Nil if there is nothing to wait for.
    public var wakeAt: BootTime?
    /// Whether an edge on the pulse line is to wake the process. It need not while the kernel can buffer enough edges.
    public var watchesPulses: Bool
    /// Whether the IMU's interrupt line is to wake the process.
    public var watchesMotion: Bool
    /// The permitted delay of a wake-up, so that the kernel can merge it with others.
    public var slack: Interval
}

extension Sampling {
    /// 25 Hz, and a FIFO that holds a window.
    public static let wholeWindow = Sampling(
        period: .milliseconds(40), fifoDepth: Window.length * 4 / 3, startUp: .milliseconds(40))

    /// The slowest filling of the FIFO of an MPU-6050.
    public static let slow = Sampling(period: .milliseconds(256), fifoDepth: 170, startUp: .milliseconds(256))

    /// The part of the FIFO that stays free for late wake-ups and a fast oscillator.
    private var reserve: Interval { period * Int64(fifoDepth / 8) }

    /// The longest time between two drains of the FIFO.
    var longestFill: Interval { period * Int64(fifoDepth) - reserve }

    /// The permitted delay of a wake-up while the FIFO fills.
    var slack: Interval { min(.milliseconds(250), reserve / 2) }
}
