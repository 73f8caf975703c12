import Commands
import Devices
import Core

/// Writes every sample of a chip to a file. Lost samples leave a gap in its times, and are reported.
final class SensorRecorder {
    private let sensor: any Accelerometer
    private let recording: RecordingFile
    private var waiting: [Acceleration] = []
    private var isRunning = false
    /// The last reported fault, so that a lasting fault is reported once.
    private var told: String?
    private var nextTry: BootTime?

    init(_ sensor: any Accelerometer, _ recording: RecordingFile) {
        self.sensor = sensor
        self.recording = recording
    }

    /// Throws if the sensor cannot be used, because a retry at the start would not help.
    func begin() throws(Failure) {
        try failing(with: .unavailable) { try start() }
    }

    private func start() throws(SensorError) {
        try sensor.initialise()
        try sensor.start()
        isRunning = true
    }

    /// Takes the chip's samples. Call it several times a second.
    func take(at now: BootTime) {
        do {
            if !isRunning {
                if let nextTry, now < nextTry { return }
                try start()
                recording.skip(until: now)
                return
            }
            waiting += try sensor.drain(.max).samples
            told = nil
        } catch {
            lost("\(error)")
            nextTry = now + .seconds(1)
        }
    }

    /// The chip is set up again at the next call, and its samples are lost.
    func lost(_ reason: String) {
        isRunning = false
        if told != reason { tell("samples are lost: \(reason)") }
        told = reason
    }

    func write(until now: BootTime) throws(Failure) {
        try recording.add(waiting, period: sensor.chip.sampling.period, until: now)
        waiting = []
    }
}
