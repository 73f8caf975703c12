/// A GPIO line with a motor or a buzzer, held as an output.
///
/// It is off when it is requested, and must be off when it is released: some GPIO controllers keep the level.
public protocol OutputLine: AnyObject {
    /// Switches the device on the line on or off, at either polarity.
    func set(_ isOn: Bool) throws(BusError)

    /// Switches the device off, if possible, and releases the line. Later calls of `set` throw.
    func close()
}
