import Core
import Devices
import Foundation
import Glibc
import SimulatedBus
import System
import TestFiles
import Testing

@testable import Simulation

/// A simulated chip behind a Unix socket, driven as one on a real bus is.
@Suite struct BusServerTests {
    private let directory: TemporaryDirectory
    private let served: ServedBus
    private var path: String { served.path }
    private let address: I2CAddress

    init() throws {
        address = try #require(I2CAddress(0x68))
        directory = try TemporaryDirectory()
        served = ServedBus("\(directory.path)/i2c-1")
        try served.restart()
    }

    @Test(arguments: SimulatedIMU.all.map(\.id)) func everyDriverFindsItsChip(id: String) throws {
        try served.restart(with: try #require(SimulatedIMU(id)))
        let bus = try openI2CBus(path)
        let place = try ChipSearch<Chip>().find(on: bus)
        #expect(place.chip.id == id)
        let driver = place.chip.driver(on: bus, at: place.address)
        try driver.initialise()
        try driver.sleep()
    }

    @Test func whatOneClientWritesAnotherReads() throws {
        let (first, second) = (try openI2CBus(path), try openI2CBus(path))
        let transfer = I2CTransfer(writes: [(0x19, 9), (0x1A, 3)], read: (0x19, 2))
        #expect(try first.perform(transfer, of: address) == [9, 3])
        try first.write(7, to: 0x19, of: address)
        #expect(try second.read(2, from: 0x19, of: address) == [7, 3])
        #expect(try second.drain(3, from: 0x74, of: address).count == 3)
    }

    @Test(arguments: [
        BusError.absent, .denied, .busy, .noAcknowledge, .stuck, .unsupported, .failed(errno: EIO),
    ]) func anErrorArrivesAsItWas(error: BusError) throws {
        try served.restart(fault: .lasting(error))
        let bus = try openI2CBus(path)
        #expect(throws: error) { try bus.read(1, from: 0x75, of: address) }
        // The connection is still in use.
        #expect(throws: error) { try bus.read(1, from: 0x75, of: address) }
    }

    @Test(arguments: [[], [0x68, 0], [0x68, 0, 5, 0, 1], [0x03, 1, 1, 0], [0x68, 7, 1, 0], [0x68, 1, 0xFF, 0xFF]])
    func aClientThatSendsNoTransferIsDroppedAndDisturbsNobody(packet: [UInt8]) throws {
        #expect(ServedTransfer(packet: packet) == nil)
        let bus = try openI2CBus(path)
        let client = try connected()
        defer { close(client) }
        #expect(send(client, packet, packet.count, Int32(MSG_NOSIGNAL)) == packet.count)
        var answer: UInt8 = 0
        #expect(recv(client, &answer, 1, 0) == 0)
        #expect(try bus.read(1, from: 0x75, of: address) == [0x68])
    }

    @Test func aBusWithoutAServerIsAbsentUntilItIsServedAgain() throws {
        let bus = try openI2CBus(path)
        served.end()
        #expect(throws: BusError.absent) { try bus.read(1, from: 0x75, of: address) }
        #expect(throws: BusError.absent) { try openI2CBus(path) }
        #expect(throws: BusError.absent) { try DeviceNodes.look(at: path) }
        #expect(throws: BusError.absent) { try bus.recover() }
        try served.restart()
        try DeviceNodes.look(at: path)
        #expect(try bus.read(1, from: 0x75, of: address) == [0x68])
        bus.close()
        #expect(throws: BusError.failed(errno: EBADF)) { try bus.read(1, from: 0x75, of: address) }
        try bus.recover()
        #expect(try bus.read(1, from: 0x75, of: address) == [0x68])
    }

    @Test func aServerThatDoesNotAnswerIsAStuckBus() throws {
        let silent = socket(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue), 0)
        defer { close(silent) }
        let path = "\(directory.path)/silent"
        let place = try #require(UnixAddress(path))
        #expect(place.with { bind(silent, $0, $1) } == 0 && listen(silent, 4) == 0)
        let bus = try ServedI2CBus(path: path, patience: .milliseconds(20))
        for _ in 1...2 { #expect(throws: BusError.stuck) { try bus.read(1, from: 0x75, of: address) } }
    }

    @Test func onlyItsUserMayUseIt() throws {
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
    }

    @Test func aTransferIsReadAsItWasWritten() throws {
        for messages in [[], [.write([])], [.write([1, 2]), .write([3]), .read(4095)]] as [[I2CMessage]] {
            let transfer = ServedTransfer(messages, with: address)
            #expect(ServedTransfer(packet: transfer.packet) == transfer)
        }
    }

    private func connected() throws -> Int32 {
        let client = socket(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue), 0)
        let place = try #require(UnixAddress(path))
        #expect(place.with { connect(client, $0, $1) } == 0)
        return client
    }
}

/// A server with one chip, in a thread of its own.
private final class ServedBus {
    let path: String
    /// The ends of a pipe, the last of which stops it; -1 while it does not run.
    private var ends: [Int32] = [-1, -1]
    private let ended = DispatchSemaphore(value: 0)

    init(_ path: String) { self.path = path }

    deinit { end() }

    /// Returns once it is served.
    func restart(with imu: SimulatedIMU = .mpu6050, fault: BusFault? = nil) throws {
        end()
        unlink(path)
        pipe(&ends)
        let isReady = DispatchSemaphore(value: 0)
        Thread.detachNewThread { [ended, stopping = ends[0], path] in
            Self.serve(imu, fault, until: stopping, at: path) { isReady.signal() }
            ended.signal()
        }
        isReady.wait()
    }

    private static func serve(
        _ imu: SimulatedIMU, _ fault: BusFault?, until stopping: Int32, at path: String, ready: () -> Void
    ) {
        do {
            let address = try #require(I2CAddress(imu.address))
            let loop = try EpollLoop()
            let source = RecordedWearer([], from: BootTime(nanoseconds: 0))
            let chip = imu.chip(feeling: source, clock: { Instant.now.boot }, seed: 1)
            let bus = SimulatedI2CBus(clock: { Instant.now.boot }, chips: [(address, chip)])
            bus.fault = fault
            let server = try BusServer(path: path, on: loop)
            server.bus = bus
            let stop = try loop.watch(stopping) { loop.stop(0) }
            ready()
            _ = try loop.run()
            withExtendedLifetime((server, stop)) {}
        } catch {
            Issue.record("\(error)")
            ready()
        }
    }

    func end() {
        guard ends[1] >= 0 else { return }
        close(ends[1])
        ended.wait()
        close(ends[0])
        ends = [-1, -1]
    }
}
