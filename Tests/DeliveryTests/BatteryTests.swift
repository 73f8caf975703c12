import Delivery
import Foundation
import TestFiles
import Testing

/// Batteries as Linux shows them in /sys/class/power_supply.
struct BatteryTests {
    private let scratch: TemporaryDirectory
    private var directory: URL { URL(fileURLWithPath: scratch.path).appendingPathComponent("power_supply") }

    init() throws {
        scratch = try TemporaryDirectory()
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    }

    func add(_ name: String, _ files: [String: String]) throws {
        let supply = directory.appendingPathComponent(name)
        try FileManager.default.createDirectory(at: supply, withIntermediateDirectories: true)
        for (file, content) in files { try Data("\(content)\n".utf8).write(to: supply.appendingPathComponent(file)) }
    }

    var battery: Battery { Battery(powerSupplies: directory.path, lowBelow: 15) }

    @Test func withoutABatteryNothingIsLow() throws {
        #expect(!battery.isLow && battery.charge == nil)
        try add("AC", ["type": "Mains", "online": "1"])
        #expect(!battery.isLow && "\(battery)" == "unknown")
        try FileManager.default.removeItem(at: directory)
        #expect(!battery.isLow)
    }

    @Test(arguments: [
        ("14", "Discharging", true), ("15", "Discharging", false), ("0", "Not charging", true),
        ("3", "Charging", false), ("3", "Full", false), ("3", "Unknown", true),
    ])
    func itIsLowUnderTheLimitWhileItIsNotCharged(capacity: String, status: String, isLow: Bool) throws {
        try add("BAT0", ["type": "Battery", "capacity": capacity, "status": status])
        #expect(battery.isLow == isLow)
        try FileManager.default.removeItem(at: directory)
    }

    @Test func theFullestCountsAndThoseOfAMouseDoNot() throws {
        try add("BAT0", ["type": "Battery", "capacity": "3", "status": "Discharging"])
        try add("mouse", ["type": "Battery", "capacity": "90", "status": "Discharging", "scope": "Device"])
        #expect(battery.isLow && battery.charge == 3)
        try add("empty", ["type": "Battery", "capacity": "99", "status": "Unknown", "present": "0"])
        #expect(battery.isLow, "an empty slot is no battery")
        try add("BAT1", ["type": "Battery", "capacity": "60", "status": "Discharging", "scope": "System"])
        #expect(!battery.isLow && battery.charge == 60)
    }

    @Test(arguments: ["", "-1", "101", "99999999999999999999", "x", "5 %"])
    func whatIsNoChargeIsNotBelieved(capacity: String) throws {
        try add("BAT0", ["type": "Battery", "capacity": capacity, "status": "Discharging"])
        #expect(battery.charge == nil && !battery.isLow)
    }
}
