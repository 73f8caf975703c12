import Glibc
import Testing

@testable import Devices

@Suite struct BusErrorErrnoTests {
    @Test(arguments: [
        (ENOENT, BusError.absent), (ENODEV, .absent),
        (EACCES, .denied), (EPERM, .denied),
        (EBUSY, .busy),
        (ENXIO, .noAcknowledge), (EREMOTEIO, .noAcknowledge),
        (ETIMEDOUT, .stuck), (EAGAIN, .stuck),
        (EOPNOTSUPP, .unsupported), (EINVAL, .unsupported), (ENOTTY, .unsupported),
        (EIO, .failed(errno: EIO)), (EBADF, .failed(errno: EBADF)), (EMFILE, .failed(errno: EMFILE)),
    ])
    func errnoIsTranslated(code: Int32, error: BusError) {
        #expect(BusError(errno: code) == error)
    }

    @Test func resultOfACallThatSucceedsIsReturned() throws {
        #expect(try checked { 2 } == 2)
        #expect(try checked { 0 } == 0)
    }

    @Test func failedCallIsNotRepeated() {
        var calls = 0
        #expect(throws: BusError.noAcknowledge) {
            try checked {
                calls += 1
                return -EREMOTEIO
            }
        }
        #expect(calls == 1)
    }

    @Test func interruptedCallIsRepeatedUntilItIsNot() throws {
        var calls = 0
        let result = try checked {
            calls += 1
            return calls < 4 ? -EINTR : 7
        }
        #expect(result == 7)
        #expect(calls == 4)
    }
}
