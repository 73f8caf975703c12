import Config
import LinuxBus

// What the config says about a line, in the words of the line.

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
