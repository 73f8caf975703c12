import Testing

@testable import Devices

@Suite struct ReadPlanTests {
    @Test func registersAreReadInBlocksThatFollowOneAnother() {
        let plan = ReadPlan.registers(70, from: 0x3B, longestRead: 32)
        #expect(
            plan.blocks == [
                .init(register: 0x3B, count: 32), .init(register: 0x5B, count: 32), .init(register: 0x7B, count: 6),
            ])
    }

    @Test func portIsReadAgainForEveryBlock() {
        let plan = ReadPlan.port(70, of: 0x74, longestRead: 32)
        #expect(
            plan.blocks == [
                .init(register: 0x74, count: 32), .init(register: 0x74, count: 32), .init(register: 0x74, count: 6),
            ])
    }

    @Test func fullBlocksLeaveNoEmptyOneBehind() {
        #expect(ReadPlan.port(64, of: 0x74, longestRead: 32).blocks.map(\.count) == [32, 32])
        #expect(ReadPlan.registers(32, from: 0, longestRead: 32).blocks.map(\.count) == [32])
    }

    @Test func wholeFIFOIsOneTransactionOfMessages() {
        let plan = ReadPlan.port(1024, of: 0x74, longestRead: AdapterAccess.messages.longestRead)
        #expect(plan.blocks == [.init(register: 0x74, count: 1024)])
    }

    @Test(arguments: [0, -1, Int.min])
    func nothingWantedIsNothingPlanned(count: Int) {
        #expect(ReadPlan.registers(count, from: 0x3B, longestRead: 32).blocks.isEmpty)
        #expect(ReadPlan.port(count, of: 0x74, longestRead: 32).blocks.isEmpty)
    }

    @Test(arguments: [1, 31, 32, 33, 255, 256, 257, 768, 1024, 9000], [AdapterAccess.messages, .blocks, .bytes])
    func everyByteIsReadOnceFromItsOwnRegister(count: Int, access: AdapterAccess) {
        let plan = ReadPlan.registers(count, from: 0x10, longestRead: access.longestRead)
        let read = plan.blocks.flatMap { block in
            (0..<block.count).map { block.register &+ UInt8(truncatingIfNeeded: $0) }
        }
        #expect(read == (0..<count).map { UInt8(truncatingIfNeeded: 0x10 + $0) })
        #expect(plan.blocks.allSatisfy { (1...access.longestRead).contains($0.count) })
    }
}
