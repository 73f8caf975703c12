// swift-tools-version:6.0
import PackageDescription

// The folders under Sources are the layers of docs/architecture.md, lowest first. A target may depend
// only on targets of its own or a lower layer; `make lint` checks the imports against the same table.

/// A C library of the system, seen through a module map and, for macros and variadics, inline functions.
func systemLibrary(_ name: String) -> Target {
    .systemLibrary(name: name, path: "Sources/C/\(name)")
}

func target(_ layer: String, _ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: dependencies, path: "Sources/\(layer)/\(name)")
}

/// Without what nobody calls, and without the table of all names that a library could look up in a program.
let small = LinkerSetting.unsafeFlags(
    ["-Xlinker", "--gc-sections", "-Xlinker", "--no-export-dynamic"], .when(configuration: .release))

func program(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .executableTarget(
        name: name, dependencies: dependencies, path: "Sources/Programs/\(name)", linkerSettings: [small])
}

/// - Parameter data: Files that the tests read where they lie.
func tests(_ name: String, _ dependencies: [Target.Dependency], data: [String] = []) -> Target {
    .testTarget(name: "\(name)Tests", dependencies: dependencies, path: "Tests/\(name)Tests", exclude: data)
}

let argumentParser = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")
let httpServer = Target.Dependency.product(name: "FlyingFox", package: "FlyingFox")

let package = Package(
    name: "AniccaEdge",
    products: [
        .executable(name: "aniccad", targets: ["aniccad"]),
        .executable(name: "anicca-upload", targets: ["anicca-upload"]),
        .executable(name: "anicca", targets: ["anicca"]),
        .executable(name: "anicca-receiver", targets: ["anicca-receiver"]),
        .executable(name: "rig-hardware", targets: ["rig-hardware"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
        .package(url: "https://github.com/swhitty/FlyingFox", from: "0.27.0"),
    ],
    targets: [
        systemLibrary("CI2C"),
        systemLibrary("CSystemd"),
        systemLibrary("CSQLite"),
        systemLibrary("CSodium"),
        systemLibrary("CCurl"),
        systemLibrary("CINIH"),
        systemLibrary("CZlib"),
        .target(name: "CGPIOD", path: "Sources/C/CGPIOD", linkerSettings: [.linkedLibrary("gpiod")]),

        target("Core", "Quantities"),
        target("Core", "Motion", ["Quantities"]),
        target("Core", "DutyCycle", ["Quantities"]),
        target("Core", "Consent", ["Quantities"]),
        target("Core", "Daybook", ["Quantities", "Consent", "Motion"]),
        target("Core", "Schedule", ["Quantities"]),

        target("Seam", "Bus", ["Quantities"]),

        target("Around", "LinuxBus", ["Bus", "Quantities", "CGPIOD", "CI2C"]),
        target("Around", "Sensors", ["Bus", "Quantities"]),
        target("Around", "SimulatedBus", ["Bus", "Quantities"]),
        target("Around", "Vault", ["CSodium"]),
        target("Around", "Ledger", ["Vault", "Consent", "Daybook", "Quantities", "CSQLite"]),
        target(
            "Around", "Hosting",
            ["Consent", "DutyCycle", "Motion", "Schedule", "Quantities", "CSystemd", "CINIH"]),
        target("Around", "Recordings", ["Quantities", "CZlib"]),

        target(
            "Wiring", "Permissions",
            ["Bus", "Consent", "Hosting", "Ledger", "LinuxBus", "Quantities", "Sensors"]),
        target(
            "Wiring", "Sensing",
            ["Bus", "Consent", "Daybook", "DutyCycle", "Hosting", "Ledger", "Motion", "Quantities", "Sensors", "Vault"]),
        target(
            "Wiring", "Delivery",
            ["CCurl", "Consent", "Daybook", "Hosting", "Ledger", "Quantities", "Schedule", "Vault"]),
        target(
            "Wiring", "Simulation",
            [
                "Bus", "Consent", "Daybook", "DutyCycle", "Hosting", "Ledger", "LinuxBus", "Motion", "Permissions",
                "Quantities", "Recordings", "Sensing", "Sensors", "SimulatedBus",
            ]),

        program(
            "aniccad",
            [
                "Bus", "Consent", "Hosting", "Ledger", "LinuxBus", "Permissions", "Quantities", "Sensing", "Sensors",
                "Simulation", "Vault",
            ]),
        program("anicca-upload", ["Delivery", "Hosting", "Ledger", "Quantities", "Schedule", "Vault"]),
        program(
            "anicca",
            [
                "Bus", "Consent", "CSQLite", "Daybook", "Delivery", "Hosting", "Ledger", "LinuxBus", "Motion",
                "Permissions", "Quantities", "Recordings", "Sensing", "Sensors", "SimulatedBus", "Simulation", "Vault",
                argumentParser,
            ]),
        program("anicca-receiver", ["CSQLite", argumentParser, httpServer]),

        .target(name: "Loopback", path: "Tests/Loopback"),
        // The hardware of the guests in which the package is tested.
        .systemLibrary(name: "CRig", path: "Tests/Rig/CRig"),
        .executableTarget(
            name: "rig-hardware", dependencies: ["Bus", "CRig", "Quantities", "SimulatedBus", argumentParser],
            path: "Tests/Rig/Hardware", linkerSettings: [small]),
        tests("RigHardware", ["rig-hardware", "Bus", "CRig", "Motion", "Quantities", "SimulatedBus"]),
        tests("Quantities", ["Quantities"]),
        tests("Motion", ["Motion", "Recordings", "SimulatedBus"], data: ["golden.json"]),
        tests("DutyCycle", ["DutyCycle"]),
        tests("Consent", ["Consent", "SimulatedBus"]),
        tests("Daybook", ["Daybook"]),
        tests("Schedule", ["Quantities", "Schedule"]),
        tests("SimulatedBus", ["SimulatedBus"]),
        tests("Sensors", ["Sensors", "SimulatedBus"]),
        tests("LinuxBus", ["LinuxBus", "SimulatedBus"]),
        tests("Vault", ["Vault"]),
        tests("Ledger", ["Ledger", "SimulatedBus"]),
        tests("Hosting", ["Hosting"]),
        tests("Recordings", ["Recordings", "SimulatedBus"]),
        tests(
            "Permissions", ["Bus", "Consent", "Hosting", "Ledger", "Loopback", "Permissions", "Quantities", "Vault"]),
        tests(
            "Sensing",
            [
                "Bus", "Consent", "Daybook", "DutyCycle", "Motion", "Permissions", "Quantities", "Recordings",
                "Sensing",
                "Simulation",
            ]),
        tests(
            "Delivery",
            ["Consent", "Daybook", "Delivery", "Hosting", "Ledger", "Loopback", "Quantities", "Schedule", "Vault"]),
        tests(
            "Command",
            [
                "anicca", "Bus", "Consent", "CSQLite", "Daybook", "Hosting", "Ledger", "Loopback", "Motion",
                "Permissions", "Quantities", "Recordings", "Sensing", "SimulatedBus", "Vault",
            ]),
        tests("EndToEnd", ["CSQLite", "Quantities", "SimulatedBus", "Simulation"]),
        tests("Lint", []),
    ],
    swiftLanguageModes: [.v6]
)
