import Domains
import LinuxBus

// The settings of a line, converted from the config's types to those of `LinuxPulseLine`.

extension StepsSettings.Edge {
    public var forLine: LinuxPulseLine.Edge {
        switch self {
        case .rising: .rising
        case .falling: .falling
        }
    }
}

extension StepsSettings.Bias {
    public var forLine: LinuxPulseLine.Bias {
        switch self {
        case .asIs: .asIs
        case .disabled: .disabled
        case .pullUp: .pullUp
        case .pullDown: .pullDown
        }
    }
}
