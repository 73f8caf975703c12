import System

/// The charge of the batteries that power this machine (Documentation/ABI/testing/sysfs-class-power in Linux).
public struct Battery: Equatable, Sendable, CustomStringConvertible {
    /// The charge of the fullest battery, in percent; nil if there is none, or none reports its charge.
    public let charge: Int?
    /// The battery is low below this percentage; 0 disables it.
    public let lowBelow: Int
    /// Whether at least one battery is charging or full.
    public let isCharging: Bool

    /// No battery.
    public static let none = Battery(charge: nil, lowBelow: 0, isCharging: false)

    public init(charge: Int?, lowBelow: Int, isCharging: Bool) {
        self.charge = charge
        self.lowBelow = lowBelow
        self.isCharging = isCharging
    }

    /// Reads each supply in the directory. Batteries of a mouse or a phone (`scope` is `Device`), and supplies with
    /// malformed values, are left out.
    public init(powerSupplies directory: String, lowBelow: Int) {
        var charges: [Int] = []
        var isCharging = false
        for name in readableFileNames(in: directory) {
            let supply = "\(directory)/\(name)"
            guard fileWord("\(supply)/type") == "Battery", fileWord("\(supply)/scope") != "Device",
                fileWord("\(supply)/present") != "0",
                let charge = fileWord("\(supply)/capacity").flatMap(Int.init), (0...100).contains(charge)
            else { continue }
            charges.append(charge)
            let status = fileWord("\(supply)/status")
            isCharging = isCharging || status == "Charging" || status == "Full"
        }
        self.init(charge: charges.max(), lowBelow: lowBelow, isCharging: isCharging)
    }

    public var isLow: Bool { !isCharging && (charge.map { $0 < lowBelow } ?? false) }

    /// `12 %`.
    public var description: String { charge.map { "\($0) %" } ?? "unknown" }
}
