import Ports
import Quantities

extension Chip {
    /// InvenSense MPU-6050, 6000 and 9150, which share an identity. The address is 0x68 with the pin AD0 low, 0x69 with
    /// AD0 high (PS, "I²C interface"); WHO_AM_I holds 0x68 whatever AD0 says (RM 117).
    public static let mpu6050 = Chip(
        id: "mpu6050", name: "MPU-6050", addresses: [0x68, 0x69],
        identityRegister: (MPU6050.Register.whoAmI.rawValue, MPU6050.Register.whoAmI.name), identity: 0x68,
        ranges: MPU6050.FullScale.allCases.map(\.rawValue),
        sampling: Sampling(
            period: MPU6050.samplePeriod, fifoDepth: MPU6050.FIFO.capacity / MPU6050.FIFO.sampleSize,
            startUp: MPU6050.samplePeriod * Int64(MPU6050.unsettledSamples)),
        stranger: { found in
            switch found {
            case 0x70: "an MPU-6500, which is not supported; fit an MPU-6050"
            case 0x71, 0x73: "an MPU-9250 or MPU-9255, which is not supported; fit an MPU-6050"
            case 0x72, 0x98: "a clone sold as an MPU-6050, which is not supported; fit a genuine one"
            default:
                "another chip; clocks such as DS3231 also live at 0x68: "
                    + "tie the MPU-6050's AD0 high and use address 0x69"
            }
        },
        make: { bus, address, setup in
            MPU6050(
                bus: bus, address: address, fullScale: MPU6050.FullScale(rawValue: setup.range) ?? .g8,
                wakeThreshold: setup.wakeThreshold)
        })
}
