import Ports

extension BusError {
    /// What is wrong with a GPIO line and what to do about it; one line, for the journal and `anicca doctor`.
    public var lineAdvice: String {
        switch self {
        case .absent: "no such GPIO chip or line; see gpioinfo, and correct chip and line in the config"
        case .denied: "the kernel refuses the GPIO chip; put the agent's user into the group gpio"
        case .busy: "another program or kernel driver holds the line; gpioinfo names it"
        case .unsupported: "not a GPIO chip that can watch this line for edges; correct chip and line in the config"
        case .noAcknowledge, .stuck: "the GPIO chip does not answer; see the kernel's log (dmesg)"
        case .failed(let errno): "the kernel gave errno \(errno); see the kernel's log (dmesg)"
        }
    }
}
