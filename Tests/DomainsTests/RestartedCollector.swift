import Core
import Testing

@testable import Domains

extension Collector {
    /// The collector of the next process, which begins as `next` and takes up the state of this one.
    func restarted(as next: Self, _ times: RestoredTimes) throws -> Self {
        var packer = Packer()
        pack(into: &packer)
        var (restored, unpacker) = (next, Unpacker(packer.bytes))
        try restored.unpack(from: &unpacker, version: Self.stateVersion, times: times)
        #expect(unpacker.isAtEnd)
        return restored
    }
}
