// swift-tools-version:6.0
import PackageDescription

// The folders under Sources are the layers of docs/architecture.md, lowest first. A target may depend
// only on targets of its own or a lower layer; `make lint` checks the imports against the same table.

/// A C library of the system, seen through a module map and, for macros and variadics, inline functions.
func systemLibrary(_ name: String) -> Target {
    .systemLibrary(name: name, path: "Sources/C/\(name)")
}

/// Code that runs a few times a minute at most: better small than fast.
let seldomRun = SwiftSetting.unsafeFlags(["-Osize"], .when(configuration: .release))

let optimisedInTests = SwiftSetting.unsafeFlags(["-O"], .when(configuration: .debug))

/// A layer of one module.
func layer(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: dependencies, path: "Sources/\(name)", swiftSettings: [seldomRun])
}

func target(_ layer: String, _ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    // The classifier runs for every window, and the laboratory for every simulated byte: in tests too, which live days of them.
    let isBusy = ["Core", "Laboratory"].contains(layer)
    return .target(
        name: name, dependencies: dependencies, path: "Sources/\(layer)/\(name)",
        swiftSettings: [isBusy ? optimisedInTests : seldomRun])
}

/// Without what is never called, without the table of all names that a library could look up in a program, equal functions once, and
/// relocations in a tenth of their room (DT_RELR; glibc 2.36, which Debian 12 has). The little that Swift's own library uses of C++ is
/// linked in, by the linker scripts in deploy/link: as shared libraries it would cost 80 kB of private memory for relocations.
let small = LinkerSetting.unsafeFlags(
    [
        "-use-ld=lld", "-Xlinker", "--gc-sections", "-Xlinker", "--no-export-dynamic", "-Xlinker", "--icf=safe",
        "-Xlinker", "-z", "-Xlinker", "pack-relative-relocs",
        "-L", "\(Context.packageDirectory)/deploy/link",
    ], .when(configuration: .release))

/// The functions that the daemon runs lie together: Tests/Bench/order.py.
let ordered = LinkerSetting.unsafeFlags(
    [
        "-Xlinker", "--symbol-ordering-file=\(Context.packageDirectory)/deploy/link/order.txt",
        "-Xlinker", "--no-warn-symbol-ordering",
    ], .when(configuration: .release))

func program(_ name: String, _ dependencies: [Target.Dependency], linked: [LinkerSetting] = [small]) -> Target {
    .executableTarget(
        name: name, dependencies: dependencies, path: "Sources/Programs/\(name)", linkerSettings: linked)
}

/// - Parameter data: Files that the tests read where they lie.
func tests(_ name: String, _ dependencies: [Target.Dependency], data: [String] = []) -> Target {
    .testTarget(name: "\(name)Tests", dependencies: dependencies, path: "Tests/\(name)Tests", exclude: data)
}

let argumentParser = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")

let package = Package(
    name: "AniccaEdge",
    products: [
        .executable(name: "aniccad", targets: ["aniccad"]),
        .executable(name: "anicca-upload", targets: ["anicca-upload"]),
        .executable(name: "anicca", targets: ["anicca"]),
        .executable(name: "anicca-lab", targets: ["anicca-lab"]),
        .executable(name: "anicca-receiver", targets: ["anicca-receiver"]),
        .executable(name: "rig-hardware", targets: ["rig-hardware"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2")
    ],
    targets: [
        systemLibrary("CLinux"),
        systemLibrary("CI2C"),
        systemLibrary("CMicroHTTPD"),
        systemLibrary("CPostgreSQL"),
        systemLibrary("CSQLite"),
        systemLibrary("CSodium"),
        systemLibrary("CCurl"),
        systemLibrary("CMosquitto"),
        systemLibrary("CINIH"),
        systemLibrary("CZlib"),
        .target(name: "CGPIOD", path: "Sources/C/CGPIOD", linkerSettings: [.linkedLibrary("gpiod")]),

        target("Core", "Quantities"),
        target("Core", "Timekeeping", ["Quantities"]),
        target("Core", "Signal", ["Quantities"]),
        target("Core", "DutyCycle", ["Quantities"]),
        target("Core", "Schedule", ["Quantities", "Timekeeping"]),
        target("Core", "SettingKeys", ["Quantities"]),

        layer("Domains", ["Quantities", "SettingKeys", "Signal", "Timekeeping"]),
        layer("Consent", ["Domains", "Quantities"]),

        layer("Ports", ["Consent", "Domains", "Quantities"]),
        layer("Chips", ["Ports", "Quantities"]),

        target("Adapters", "Files"),
        target("Adapters", "Program", ["CLinux", "Domains", "Files", "Quantities", "Timekeeping"]),
        target("Adapters", "Journaling", ["Domains", "Files"]),
        target(
            "Adapters", "Config",
            [
                "Consent", "Domains", "DutyCycle", "Files", "Program", "Quantities", "Schedule", "SettingKeys",
                "Signal", "Timekeeping", "CINIH",
            ]),
        target("Adapters", "Loop", ["Files", "Ports", "Program", "Quantities", "CLinux"]),
        target("Adapters", "Systemd", ["Files", "Program", "Quantities"]),
        target("Adapters", "Lending", ["Files", "CLinux", "Quantities"]),
        target("Adapters", "Inbox", ["Domains", "Files", "Ports", "Quantities"]),
        target("Adapters", "Gpsd", ["Domains", "Files", "Ports", "Quantities"]),
        target("Adapters", "LinuxBus", ["Domains", "Files", "Ports", "Quantities", "CGPIOD", "CI2C"]),
        target("Adapters", "Vault", ["CSodium", "Files"]),
        target(
            "Adapters", "Ledger",
            ["Vault", "Consent", "Domains", "Files", "Program", "Quantities", "Schedule", "Timekeeping", "CSQLite"]),

        layer(
            "Sinks",
            ["CCurl", "CMosquitto", "Config", "Domains", "Files", "Program", "Quantities", "Schedule", "Vault"]),

        target(
            "Services", "Permissions",
            [
                "Chips", "Config", "Consent", "Domains", "Files", "Gpsd", "Journaling", "Ledger", "LinuxBus", "Ports",
                "Quantities",
            ]),
        target(
            "Services", "Sensing",
            [
                "Config", "Consent", "Domains", "DutyCycle", "Files", "Journaling", "Ledger", "Ports",
                "Quantities", "Signal", "Timekeeping", "Vault",
            ]),
        target(
            "Services", "Delivery",
            [
                "Config", "Consent", "Domains", "Files", "Journaling", "Ledger", "Program", "Quantities", "Schedule",
                "Sinks", "Timekeeping", "Vault",
            ]),

        target(
            "Services", "Agent",
            [
                "Chips", "Config", "Consent", "Domains", "Files", "Gpsd", "Inbox", "Journaling", "Ledger", "Lending",
                "Loop",
                "LinuxBus", "Permissions", "Ports", "Program", "Quantities", "Sensing", "Systemd", "Timekeeping",
                "Vault",
            ]),

        target("Laboratory", "SimulatedBus", ["Ports", "Quantities"]),
        target("Laboratory", "Recordings", ["Quantities", "CLinux", "CZlib"]),
        target(
            "Laboratory", "Simulation",
            [
                "Agent", "Chips", "CLinux", "Config", "Consent", "Delivery", "Domains", "DutyCycle", "Files", "Gpsd",
                "Inbox", "Journaling", "Ledger", "LinuxBus", "Permissions", "Ports", "Quantities", "Recordings",
                "Schedule", "Sensing", "Signal", "SimulatedBus", "Sinks", "Timekeeping", "Vault",
            ]),

        program(
            "aniccad", ["Agent", "Config", "Journaling", "Loop", "Permissions", "Program", "Timekeeping"],
            linked: [small, ordered]),
        program(
            "anicca-upload",
            [
                "Config", "Delivery", "Journaling", "Ledger", "Program", "Quantities", "Sinks", "Vault",
            ]),
        // For every command of a person: its failures, tables and options.
        target(
            "Programs", "Commands",
            [
                "Config", "Domains", "Files", "Journaling", "Ledger", "Permissions", "Program", "Quantities",
                argumentParser,
            ]),
        program(
            "anicca",
            [
                "Chips", "Commands", "Config", "Consent", "CSQLite", "Delivery", "Domains", "Files", "Gpsd", "Inbox",
                "Journaling", "Ledger", "Lending", "LinuxBus", "Permissions", "Ports", "Program", "Quantities",
                "Schedule",
                "Sensing", "Signal", "Sinks", "Timekeeping", "Vault", argumentParser,
            ]),
        program(
            "anicca-lab",
            [
                "Agent", "Commands", "Config", "Consent", "CSQLite", "Delivery", "Domains", "Files", "Gpsd", "Inbox",
                "Journaling", "Ledger", "Loop", "Permissions", "Ports", "Program", "Quantities", "Recordings",
                "Schedule", "Sensing", "Signal", "SimulatedBus", "Simulation", "Sinks", "Timekeeping", "Vault",
                argumentParser,
            ]),
        program(
            "anicca-receiver",
            ["CMicroHTTPD", "CPostgreSQL", "CSodium", "CSQLite", "Program", "Systemd", argumentParser]),

        .target(name: "Loopback", path: "Tests/Loopback"),
        .target(name: "TestFiles", path: "Tests/TestFiles"),
        .target(
            name: "RightClock", dependencies: ["Domains", "Ledger", "Quantities", "Timekeeping"],
            path: "Tests/RightClock"),
        .target(name: "LaterVersion", dependencies: ["Domains", "Quantities"], path: "Tests/LaterVersion"),
        // The hardware of the guests in which the package is tested.
        .systemLibrary(name: "CRig", path: "Tests/Rig/CRig"),
        .executableTarget(
            name: "rig-hardware", dependencies: ["CRig", "Ports", "Quantities", "SimulatedBus", argumentParser],
            path: "Tests/Rig/Hardware", linkerSettings: [small]),
        tests("RigHardware", ["rig-hardware", "CRig", "Ports", "Quantities", "Signal", "SimulatedBus"]),
        tests("Quantities", ["Quantities", "SimulatedBus"]),
        tests("Timekeeping", ["Quantities", "Timekeeping"]),
        tests("Signal", ["Recordings", "Signal", "SimulatedBus"], data: ["golden.json", "golden-sleep.json"]),
        tests("DutyCycle", ["DutyCycle"]),
        tests("Consent", ["Consent", "Domains", "LaterVersion", "Ledger", "Quantities", "SimulatedBus"]),
        tests("Domains", ["Domains", "Quantities", "SettingKeys", "Signal", "Timekeeping"]),
        tests("Schedule", ["Quantities", "RightClock", "Schedule", "Timekeeping"]),
        tests("SimulatedBus", ["SimulatedBus"]),
        tests("Chips", ["Chips", "SimulatedBus"]),
        tests("LinuxBus", ["Files", "LinuxBus", "Ports", "Quantities", "SimulatedBus"]),
        tests("Vault", ["Vault"]),
        tests(
            "Ledger",
            [
                "Consent", "CSQLite", "Domains", "Files", "LaterVersion", "Ledger", "RightClock", "SimulatedBus",
                "TestFiles", "Timekeeping",
            ],
            data: ["Fixtures"]),
        tests(
            "Config",
            [
                "Config", "Consent", "Domains", "Files", "Permissions", "Program", "Quantities", "SettingKeys",
                "TestFiles",
            ]),
        tests("Lending", ["Files", "Lending", "Quantities", "TestFiles"]),
        tests("Inbox", ["Domains", "Files", "Inbox", "Ports", "Quantities", "TestFiles"]),
        tests("Gpsd", ["Domains", "Gpsd", "Loopback", "Ports", "Quantities", "TestFiles"]),
        tests("Files", ["Files", "Loop", "TestFiles"]),
        tests("Journaling", ["Domains", "Journaling", "TestFiles"]),
        tests("Loop", ["Files", "Loop", "Ports", "Program", "Quantities", "TestFiles"]),
        tests("Systemd", ["Files", "Program", "Quantities", "Systemd", "TestFiles"]),
        tests("Recordings", ["Recordings", "SimulatedBus"]),
        tests(
            "Permissions",
            [
                "Config", "Consent", "Domains", "Files", "Journaling", "LaterVersion", "Ledger", "Loopback",
                "Permissions",
                "Loop", "Ports", "Quantities", "Vault",
            ]),
        tests("Simulation", ["Quantities", "Schedule", "Simulation"]),
        tests(
            "Sensing",
            [
                "Config", "Consent", "Domains", "DutyCycle", "Permissions", "Ports", "Quantities", "Recordings",
                "Sensing",
                "Signal", "Simulation", "Timekeeping",
            ]),
        tests(
            "Agent",
            [
                "Agent", "Config", "Consent", "Domains", "Files", "Journaling", "Ledger", "Lending", "Loop",
                "Permissions",
                "Ports",
                "Quantities", "RightClock", "Sensing", "SimulatedBus", "Simulation", "TestFiles",
                "Timekeeping",
                "Vault",
            ]),
        tests(
            "Delivery",
            [
                "Config", "Consent", "Domains", "Delivery", "Files", "Journaling", "LaterVersion", "Ledger", "Loopback",
                "Program", "Quantities", "RightClock", "Schedule", "Sinks", "TestFiles", "Timekeeping", "Vault",
            ]),
        tests(
            "Sinks",
            ["Config", "Domains", "Files", "Loopback", "Program", "Quantities", "Schedule", "Sinks", "TestFiles"]),
        tests(
            "Command",
            [
                "anicca", "Chips", "Commands", "Config", "Consent", "CSQLite", "Delivery", "Domains", "Files",
                "Journaling",
                "LaterVersion",
                "Ledger", "LinuxBus", "Loopback", "Permissions", "Ports", "Program", "Quantities", "Recordings",
                "Sensing",
                "RightClock", "Schedule", "Signal", "SimulatedBus", "Sinks", "TestFiles", "Timekeeping", "Vault",
            ]),
        tests("EndToEnd", ["Quantities", "TestFiles"]),
        tests("Receiver", ["anicca-receiver"]),
        tests("Lint", []),
    ],
    swiftLanguageModes: [.v6]
)

// What is fuzzed: a program that libFuzzer drives, built with its instrumentation (make test-fuzz), or tests of the inputs it begins with.
let fuzzed: [Target.Dependency] = [
    "Config", "Delivery", "Domains", "Gpsd", "Inbox", "Ledger", "Loopback", "Permissions", "Ports", "Quantities",
    "Recordings", "Schedule", "Sensing", "Sinks", "Timekeeping", "Vault",
]
if Context.environment["ANICCA_FUZZ"] != nil {
    package.targets.append(
        .executableTarget(
            name: "fuzz", dependencies: fuzzed, path: "Tests/Fuzz", exclude: ["Corpus", "CorpusTests.swift"],
            // gold stops at the instrumentation.
            linkerSettings: [.unsafeFlags(["-use-ld=lld"])]))
} else {
    package.targets.append(
        .testTarget(
            name: "FuzzTests", dependencies: fuzzed, path: "Tests/Fuzz", exclude: ["Corpus", "main.swift"]))
}
