import Commands
import Devices
import Core

/// Takes every sample of a chip into a file. Samples that are lost leave a gap in its times, and are told.
final class SensorRecorder {
    private let sensor: any Accelerometer
    private let recording: RecordingFile
    private var waiting: [Acceleration] = []
    private var isRunning = false
    /// The last fault that was told, so that one that lasts is told once.
    private var told: String?
    private var nextTry: BootTime?

    init(_ sensor: any Accelerometer, _ recording: RecordingFile) {
        self.sensor = sensor
        self.recording = recording
    }

    /// Throws where the sensor cannot be used, which no retry would change at the begin of a recording.
    func begin() throws(Failure) {
        try failing(with: .unavailable) { try start() }
    }

    private func start() throws(SensorError) {
        try sensor.initialise()
        try sensor.start()
        isRunning = true
    }

    /// Takes what the chip has. To be called several times a second.
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

    /// The chip is set up again with the next look, and what it had is lost.
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
