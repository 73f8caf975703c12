import Schedule

extension HoldReason: CustomStringConvertible {
    /// For people, behind "until …:".
    public var description: String {
        switch self {
        case .unreachable: "there was no connection"
        case .busy: "it asked for a wait, or has too much to do"
        case .wrongAddress: "it does not know the address; see base-url in [server]"
        case .refuses: "it refused two records in a row"
        case .noReceipt: "its answer was no receipt; see base-url in [server], and for a portal in between"
        }
    }
}
