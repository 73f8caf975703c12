// Every access of the driver passes here: errors get their register, and the chip's state is forgotten.

import Ports

extension MPU6050 {
    func write(_ value: UInt8, to register: Register) throws(SensorError) {
        do throws(BusError) {
            try bus.write(value, to: register.rawValue, of: address)
        } catch {
            throw lostTrack(error, register)
        }
    }

    func read(_ register: Register) throws(SensorError) -> UInt8 { try read(1, from: register)[0] }

    func read(_ count: Int, from register: Register) throws(SensorError) -> [UInt8] {
        do throws(BusError) {
            return try bus.read(count, from: register.rawValue, of: address)
        } catch {
            throw lostTrack(error, register)
        }
    }

    func drain(_ count: Int) throws(SensorError) -> [UInt8] {
        do throws(BusError) {
            return try bus.drain(count, from: Register.fifoData.rawValue, of: address)
        } catch {
            throw lostTrack(error, .fifoData)
        }
    }

    func verify(_ register: Register, is value: UInt8) throws(SensorError) {
        let found = try read(register)
        guard found == value else {
            state = .unknown
            throw .configurationRefused(register: register.rawValue, wrote: value, read: found)
        }
    }

    private func lostTrack(_ error: BusError, _ register: Register) -> SensorError {
        state = .unknown
        return .bus(error, register: register.rawValue)
    }
}
