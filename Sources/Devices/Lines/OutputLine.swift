/// A GPIO line with a motor or a buzzer, held as an output.
///
/// It is off when it is taken, and has to be off when it is released: a released line keeps its level on some GPIO controllers.
public protocol OutputLine: AnyObject {
    /// Switches the device on the line on or off, whichever level that takes.
    func set(_ isOn: Bool) throws(BusError)

    /// Switches the device off, as far as that is possible, and releases the line. Later calls of `set` throw.
    func close()
}
