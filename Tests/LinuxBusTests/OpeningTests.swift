import Foundation
import Glibc
import Core
import Testing

@testable import Devices

/// Opening nodes that are missing, of another kind, or forbidden. Tests with real nodes need hardware.
@Suite struct OpeningTests {
    enum Device: CaseIterable {
        case bus, line

        func open(_ path: String) throws(BusError) {
            switch self {
            case .bus: _ = try LinuxI2CBus(path: path)
            case .line: _ = try LinuxPulseLine(chip: path, offset: 17, edge: .rising, debounce: .milliseconds(50))
            }
        }
    }

    @Test func deviceOfAnotherKindIsNotAnI2CBus() {
        #expect(throws: BusError.unsupported) { try Device.bus.open("/dev/null") }
    }

    @Test(arguments: Device.allCases)
    func failureToOpenLeavesNoDescriptorBehind(device: Device) throws {
        try withScratchDirectory { directory in
            let path = "\(directory)/file"
            try makeFile(path)
            for _ in 0..<50 { try? device.open(path) }
            #expect(descriptors(of: path) == 0)
        }
    }

    @Test func glitchFilterIsRefusedWhereTheKernelHasNone() {
        // libgpiod 1.x refuses before it looks for the chip; 2.x has the filter and finds no chip.
        #expect {
            try LinuxPulseLine(
                chip: "/nonexistent/gpiochip0", offset: 17, edge: .falling, glitchFilter: .milliseconds(2))
        } throws: { error in
            [BusError.unsupported, .absent].contains(error as? BusError)
        }
    }
}

/// The count of descriptors of this process that refer to `path` (proc(5), /proc/self/fd).
private func descriptors(of path: String) -> Int {
    (0..<Int32(1024)).count { descriptor in
        var target = [CChar](repeating: 0, count: Int(PATH_MAX))
        let length = readlink("/proc/self/fd/\(descriptor)", &target, target.count)
        return length > 0 && target.prefix(length).map(UInt8.init(bitPattern:)) == Array(path.utf8)
    }
}
