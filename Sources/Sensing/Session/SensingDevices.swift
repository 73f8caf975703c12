import Devices
import Domains

/// Opens and closes the devices of a session: real ones on Linux, simulated ones in a replay.
public protocol SensingDevices: AnyObject {
    /// The place of the source, for messages: `/dev/i2c-1`, `/dev/gpiochip0 line 27`.
    func place(of kind: SourceKind) -> String

    /// Whether the IMU's INT pin is wired to a line that can wake the process.
    var hasMotionLine: Bool { get }

    /// Whether a step sensor is wired; without one, steps are counted from acceleration. Does not change.
    var hasPulseLine: Bool { get }

    /// Whether the chip's thermometer measures the sensor's temperature; false for a recording. Does not change.
    var hasThermometer: Bool { get }

    /// Recovers the bus and finds the chip, without changing anything in it. `closeSensor` is called in the end, even
    /// after an error.
    func openSensor() throws(SensorError) -> any Accelerometer

    /// Closes the bus, unless another chip uses it. The chip was put to sleep before, if it was reachable.
    func closeSensor()

    /// Takes the pulse line exclusively.
    func openPulseLine() throws(BusError) -> any PulseLine

    /// Opens the folder for the phone's reports.
    func openInbox() throws(InboxError) -> any ReportInbox

    /// Connects to gpsd, which keeps the receiver active until `closePositions`.
    func openPositions() throws(PositionError) -> any PositionSource

    /// Ends the connection to gpsd, if there is one.
    func closePositions()

    /// Finds the gauge on the IMU's bus, without changing anything in it. `closeGauge` is called in the end, even after
    /// an error.
    func openGauge(_ id: GaugeID) throws(SensorError) -> any Gauge

    /// Closes the bus, unless another chip uses it.
    func closeGauge(_ id: GaugeID)

    /// Finds the pulse oximeter on the IMU's bus, without changing anything in it. `closeOximeter` is called in the end,
    /// even after an error.
    func openOximeter() throws(SensorError) -> any PulseOximeter

    /// Closes the bus, unless another chip uses it.
    func closeOximeter()

    /// Releases the pulse line, if it is held, so that another process can take it.
    func closePulseLine()
}

extension SensingDevices {
    public var hasThermometer: Bool { true }

    public func openInbox() throws(InboxError) -> any ReportInbox { throw .absent }
    public func openPositions() throws(PositionError) -> any PositionSource { throw .absent }
    public func closePositions() {}
    public func openGauge(_ id: GaugeID) throws(SensorError) -> any Gauge {
        throw GaugeKind.of(id).search.unreachable(.absent)
    }
    public func closeGauge(_ id: GaugeID) {}
    public func openOximeter() throws(SensorError) -> any PulseOximeter {
        throw ChipSearch<PulseOximeterChip>().unreachable(.absent)
    }
    public func closeOximeter() {}
}
