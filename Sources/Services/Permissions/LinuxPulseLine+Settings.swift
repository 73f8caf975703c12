import Config
import LinuxBus

// The settings of a line, converted from the config's types to those of `LinuxPulseLine`.

extension Settings.Edge {
    public var forLine: LinuxPulseLine.Edge {
        switch self {
        case .rising: .rising
        case .falling: .falling
        }
    }
}

extension Settings.Bias {
    public var forLine: LinuxPulseLine.Bias {
        switch self {
        case .asIs: .asIs
        case .disabled: .disabled
        case .pullUp: .pullUp
        case .pullDown: .pullDown
        }
    }
}
