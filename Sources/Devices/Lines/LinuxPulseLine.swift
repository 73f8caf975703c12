import CGPIOD
import Domains
import Glibc
import Core

/// A line of a GPIO chip such as `/dev/gpiochip0`, held as an input. The kernel stamps and queues its edges.
///
/// It also suits the interrupt output of another chip: wait on `fileDescriptor`, drain, and take any pulse as the
/// signal.
public final class LinuxPulseLine: PulseLine {
    public typealias Edge = StepsSettings.Edge
    public typealias Bias = StepsSettings.Bias

    private var line: OpaquePointer?
    private var gaps = SequenceGaps()
    private var debounce: Debounce

    /// Requests the line, with the consumer name `anicca`.
    ///
    /// - Parameters:
    ///   - chip: The path of the chip's node.
    ///   - offset: The line's number on that chip; on a Raspberry Pi's first chip, the GPIO number.
    ///   - edge: The edge that is a pulse.
    ///   - bias: The pull resistor of the line.
    ///   - debounce: A pulse that follows another more closely is a contact bounce, and is dropped here.
    ///   - glitchFilter: The kernel drops shorter changes before they take room in its buffer, and stamps pulses later
    ///     by this time. Zero for none. Needs libgpiod 2.
    ///
    /// Throws `busy` while another process holds the line; `unsupported` if `chip` is not a GPIO chip, has no such
    /// line, or does not support the request.
    public init(
        chip: String, offset: UInt32, edge: Edge, bias: Bias = .asIs, debounce: Interval = .zero,
        glitchFilter: Interval = .zero
    ) throws(BusError) {
        self.debounce = Debounce(debounce)
        var line: OpaquePointer?
        try checked {
            chip.withCString { path in
                var request = cgpiod_request(
                    chip: path, offset: offset, edge: edge.forC, bias: bias.forC,
                    debounce_us: UInt(clamping: glitchFilter.nanoseconds / 1000))
                return cgpiod_open(&request, &line)
            }
        }
        self.line = line
    }

    deinit { close() }

    /// Releases the line; its descriptor becomes invalid. `drain(at:)` then throws `failed(EBADF)`.
    public func close() {
        guard let line else { return }
        cgpiod_close(line)
        self.line = nil
    }

    public var kernelBuffer: Int { Int(cgpiod_kernel_buffer()) }

    /// Nil once the line is closed.
    public var fileDescriptor: Int32? {
        guard let line else { return nil }
        return cgpiod_descriptor(line)
    }

    /// Takes the waiting edges, at most as many as the kernel's buffer holds, so that a busy line cannot block the
    /// caller. Both clocks are read here, because `now` may be old.
    ///
    /// An edge that waited through a suspend gets a time after it. If the line fails after some edges were taken, these
    /// are returned and the next drain throws.
    public func drain(at now: BootTime) throws(BusError) -> PulseBatch {
        let clocks = ClockOffset.current()
        var batch = PulseBatch()
        var events = [cgpiod_event](repeating: cgpiod_event(), count: 64)
        var taken = 0
        while taken < kernelBuffer {
            let count: Int
            do {
                count = try read(into: &events)
            } catch {
                if batch == PulseBatch() { throw error }
                break
            }
            if count == 0 { break }
            taken += count
            for event in events.prefix(count) { add(event, to: &batch, clocks) }
        }
        if !cgpiod_numbers_edges(), taken >= kernelBuffer { batch.lost = nil }
        return batch
    }

    private func read(into events: inout [cgpiod_event]) throws(BusError) -> Int {
        guard let line else { throw .failed(errno: EBADF) }
        return Int(try checked { cgpiod_read(line, &events, Int32(events.count)) })
    }

    private func add(_ event: cgpiod_event, to batch: inout PulseBatch, _ clocks: ClockOffset) {
        let time = MonotonicTime(nanoseconds: Int64(truncatingIfNeeded: event.timestamp_ns))
        if cgpiod_numbers_edges() { batch.lost? += gaps.missing(before: event.sequence) }
        if debounce.accepts(time) { batch.pulses.append(clocks.boot(at: time)) }
    }
}

extension LinuxPulseLine.Edge {
    fileprivate var forC: cgpiod_edge {
        switch self {
        case .rising: CGPIOD_EDGE_RISING
        case .falling: CGPIOD_EDGE_FALLING
        }
    }
}

extension LinuxPulseLine.Bias {
    fileprivate var forC: cgpiod_bias {
        switch self {
        case .asIs: CGPIOD_BIAS_AS_IS
        case .disabled: CGPIOD_BIAS_DISABLED
        case .pullUp: CGPIOD_BIAS_PULL_UP
        case .pullDown: CGPIOD_BIAS_PULL_DOWN
        }
    }
}

extension LinuxPulseLine {
    /// The name under which this program holds lines, as gpioinfo(1) shows it.
    public static let consumer = String(cString: cgpiod_consumer())

    /// The consumer name of the process that holds the line; nil while it is free. Does not request or change the line.
    /// A chip that is a Unix socket is simulated by a daemon, which holds its lines.
    ///
    /// Throws as `init` does, except `busy`.
    public static func holder(chip: String, offset: UInt32) throws(BusError) -> String? {
        if isSocket(chip) {
            try DeviceNodes.look(at: chip)
            return consumer
        }
        var name = [CChar](repeating: 0, count: 64)
        let isHeld = try checked { cgpiod_holder(chip, offset, &name, name.count) } > 0
        return isHeld ? String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self) : nil
    }
}

/// Counts a line's lost edges by the kernel's sequence numbers.
///
/// The numbers begin at 1 and wrap from 2³² − 1 to 0 (`line_seqno` of `struct gpio_v2_line_event` in linux/gpio.h).
struct SequenceGaps: Hashable, Sendable {
    private var expected: UInt32

    /// `expected` is the number of the next edge; 1 for a line that was just requested.
    init(expected: UInt32 = 1) { self.expected = expected }

    /// The count of edges lost before the edge with this number. A number that goes backwards counts as no gap.
    mutating func missing(before number: UInt32) -> Int {
        let ahead = Int32(bitPattern: number &- expected)
        expected = number &+ 1
        return max(0, Int(ahead))
    }
}
