import CRig
import Glibc
import Devices
import SimulatedBus

/// An adapter behind a node in /dev.
final class I2CNode {
    let adapter: SimulatedAdapter
    /// Whether it supports SMBus transfers only, as the adapters of most PCs.
    let isSMBusOnly: Bool

    init(adapter: SimulatedAdapter, isSMBusOnly: Bool) {
        self.adapter = adapter
        self.isSMBusOnly = isSMBusOnly
    }

    /// The bits of `I2C_FUNCS`.
    var functions: UInt {
        let smbus =
            I2C_FUNC_SMBUS_QUICK | I2C_FUNC_SMBUS_BYTE | I2C_FUNC_SMBUS_BYTE_DATA | I2C_FUNC_SMBUS_WORD_DATA
            | I2C_FUNC_SMBUS_I2C_BLOCK
        return UInt(isSMBusOnly ? smbus : smbus | I2C_FUNC_I2C)
    }

    /// Performs a transfer, and fails with the errno that adapters' drivers use (kernel
    /// Documentation/i2c/fault-codes.rst).
    func perform(
        _ messages: [I2CMessage], with address: UInt16, answer: ([UInt8]) -> I2CIoctl.Answer
    ) -> I2CIoctl.Answer {
        do throws(BusError) {
            return answer(try adapter.perform(messages, with: UInt8(exactly: address).flatMap(I2CAddress.init)))
        } catch {
            switch error {
            case .noAcknowledge: return .failed(ENXIO)
            case .stuck: return .failed(ETIMEDOUT)
            case .absent: return .failed(ENODEV)
            case .denied, .busy, .unsupported, .failed: return .failed(EIO)
            }
        }
    }
}
