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
    // The classifier runs for every window: in tests too, which live days of them.
    let isBusy = ["Core", "Signal"].contains(name)
    return .target(
        name: name, dependencies: dependencies, path: "Sources/\(name)",
        swiftSettings: [isBusy ? optimisedInTests : seldomRun])
}

/// A part of the laboratory, which runs for every simulated byte.
func laboratory(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .target(
        name: name, dependencies: dependencies, path: "Sources/Laboratory/\(name)", swiftSettings: [optimisedInTests])
}

/// Without what is never called, without the table of all names that a library could look up in a program, equal functions once, and
/// relocations in a tenth of their room (DT_RELR; glibc 2.36, which Debian 12 has), all of them done at the start, so that the table of
/// functions is read-only from then on. The little that Swift's own library uses of C++ is
/// linked in, by the linker scripts in deploy/link: as shared libraries it would cost 80 kB of private memory for relocations.
let small = LinkerSetting.unsafeFlags(
    [
        "-use-ld=lld", "-Xlinker", "--gc-sections", "-Xlinker", "--no-export-dynamic", "-Xlinker", "--icf=safe",
        "-Xlinker", "-z", "-Xlinker", "pack-relative-relocs", "-Xlinker", "-z", "-Xlinker", "now",
        "-L", "\(Context.packageDirectory)/deploy/link",
    ], .when(configuration: .release))

/// The functions that the daemon runs lie together: Tests/Bench/order.py.
let ordered = LinkerSetting.unsafeFlags(
    [
        "-Xlinker", "--symbol-ordering-file=\(Context.packageDirectory)/deploy/link/order.txt",
        "-Xlinker", "--no-warn-symbol-ordering",
    ], .when(configuration: .release))

func program(
    _ name: String, _ dependencies: [Target.Dependency], settings: [SwiftSetting] = [],
    linked: [LinkerSetting] = [small]
) -> Target {
    .executableTarget(
        name: name, dependencies: dependencies, path: "Sources/Programs/\(name)", swiftSettings: settings,
        linkerSettings: linked)
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

        layer("Core"),
        layer("Signal", ["Core"]),
        layer("Domains", ["Core", "Signal"]),
        layer("System", ["CLinux", "Core", "Domains"]),
        layer("Config", ["CINIH", "Core", "Domains", "Signal", "System"]),
        layer("Devices", ["CGPIOD", "CI2C", "CLinux", "Core", "Domains", "System"]),
        layer("Store", ["CSodium", "CSQLite", "Core", "Domains", "System"]),
        layer("Delivery", ["CCurl", "CMosquitto", "Config", "Core", "Domains", "Store", "System"]),
        layer("Sensing", ["Config", "Core", "Devices", "Domains", "Signal", "Store", "System"]),
        layer("Agent", ["Config", "Core", "Devices", "Domains", "Sensing", "Store", "System"]),

        laboratory("SimulatedBus", ["Core", "Devices"]),
        laboratory("Recordings", ["CLinux", "Core", "CZlib"]),
        laboratory(
            "Simulation",
            [
                "Agent", "Sensing", "CLinux", "Config", "Core", "Delivery", "Devices", "Domains", "Recordings",
                "Signal",
                "SimulatedBus", "Store", "System",
            ]),

        program(
            "aniccad", ["Agent", "Sensing", "Config", "Core", "System"],
            linked: [small, ordered]),
        program(
            "anicca-upload",
            ["Config", "Core", "Delivery", "Store", "System"]),
        // For every command of a person: its failures, tables and options.
        .target(
            name: "Commands",
            dependencies: ["Sensing", "Config", "Core", "Domains", "Store", "System", argumentParser],
            path: "Sources/Programs/Commands", swiftSettings: [seldomRun]),
        program(
            "anicca",
            [
                "Sensing", "Commands", "Config", "Core", "CSQLite", "Delivery", "Devices", "Domains", "Signal",
                "Store",
                "System", argumentParser,
            ],
            settings: [seldomRun]),
        program(
            "anicca-lab",
            [
                "Agent", "Sensing", "Commands", "Config", "Core", "CSQLite", "Delivery", "Devices", "Domains",
                "Recordings",
                "Signal", "SimulatedBus", "Simulation", "Store", "System", argumentParser,
            ]),
        program(
            "anicca-receiver",
            ["CMicroHTTPD", "CMosquitto", "CPostgreSQL", "CSodium", "CSQLite", "System", argumentParser]),

        .target(name: "Loopback", path: "Tests/Loopback"),
        .target(name: "TestFiles", path: "Tests/TestFiles"),
        .target(
            name: "RightClock", dependencies: ["Core", "Domains", "Store"],
            path: "Tests/RightClock"),
        .target(name: "LaterVersion", dependencies: ["Core", "Domains"], path: "Tests/LaterVersion"),
        // The hardware of the guests in which the package is tested.
        .systemLibrary(name: "CRig", path: "Tests/Rig/CRig"),
        .executableTarget(
            name: "rig-hardware", dependencies: ["CLinux", "Core", "CRig", "Devices", "SimulatedBus", argumentParser],
            path: "Tests/Rig/Hardware", linkerSettings: [small]),
        tests("RigHardware", ["CLinux", "Core", "CRig", "Devices", "rig-hardware", "Signal", "SimulatedBus"]),
        tests("Quantities", ["Core", "SimulatedBus"]),
        tests("Timekeeping", ["Core"]),
        tests(
            "Signal", ["Recordings", "Signal", "SimulatedBus", "TestFiles"], data: ["golden.json", "golden-sleep.json"]),
        tests("DutyCycle", ["Core"]),
        tests("Consent", ["Core", "Domains", "LaterVersion", "SimulatedBus", "Store"]),
        tests("Domains", ["Core", "Domains", "Signal"]),
        tests("Schedule", ["Core", "RightClock"]),
        tests("SimulatedBus", ["SimulatedBus"]),
        tests("Chips", ["Devices", "Signal", "SimulatedBus"]),
        tests("LinuxBus", ["Core", "Devices", "SimulatedBus", "System"]),
        tests("Vault", ["Store"]),
        tests(
            "Ledger",
            [
                "Core", "CSQLite", "Domains", "LaterVersion", "RightClock", "SimulatedBus", "Store", "System",
                "TestFiles",
            ],
            data: ["Fixtures"]),
        tests(
            "Config",
            ["Sensing", "Config", "Core", "Domains", "System", "TestFiles"]),
        tests("Lending", ["Core", "Devices", "System", "TestFiles"]),
        tests("Inbox", ["Core", "Devices", "Domains", "System", "TestFiles"]),
        tests("Gpsd", ["Core", "Devices", "Domains", "Loopback", "TestFiles"]),
        tests("Files", ["System", "TestFiles"]),
        tests("Journaling", ["Domains", "System", "TestFiles"]),
        tests("Loop", ["Core", "Devices", "System", "TestFiles"]),
        tests("Systemd", ["Core", "System", "TestFiles"]),
        tests("Recordings", ["Recordings", "SimulatedBus"]),
        tests(
            "Permissions",
            ["Sensing", "Config", "Core", "Devices", "Domains", "LaterVersion", "Loopback", "Store", "System"]),
        tests("Simulation", ["Core", "Simulation"]),
        tests(
            "Sensing",
            ["Agent", "Sensing", "Config", "Core", "Devices", "Domains", "Recordings", "Signal", "Simulation"]),
        tests(
            "Agent",
            [
                "Agent", "Sensing", "Config", "Core", "Devices", "Domains", "RightClock", "SimulatedBus", "Simulation",
                "Store",
                "System", "TestFiles",
            ]),
        tests(
            "Delivery",
            [
                "Config", "Core", "Delivery", "Domains", "LaterVersion", "Loopback", "RightClock", "Store", "System",
                "TestFiles",
            ]),
        tests(
            "Sinks",
            ["Config", "Core", "Delivery", "Domains", "Loopback", "System", "TestFiles"]),
        tests(
            "Command",
            [
                "Sensing", "anicca", "Commands", "Config", "Core", "CSQLite", "Delivery", "Devices", "Domains",
                "LaterVersion", "Loopback", "Recordings", "RightClock", "Signal", "SimulatedBus", "Store", "System",
                "TestFiles",
            ]),
        tests("EndToEnd", ["Core", "TestFiles"]),
        tests("Receiver", ["anicca-receiver"]),
        tests("Lint", []),
    ],
    swiftLanguageModes: [.v6]
)

// What is fuzzed: a program that libFuzzer drives, built with its instrumentation (make test-fuzz), or tests of the inputs it begins with.
let fuzzed: [Target.Dependency] = [
    "Sensing", "Config", "Core", "Delivery", "Devices", "Domains", "Loopback", "Recordings", "Store",
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
