import Core

extension HoldReason {
    /// For people, after "until …:".
    public func text(_ words: SinkWords) -> String {
        switch self {
        case .unreachable: "there was no connection"
        case .busy: "it asked for a wait, or is overloaded"
        case .wrongAddress: "it does not know the address; see \(words.address)"
        case .refuses: "it refused two records in a row"
        case .refusesErasure: "it does not erase data on request; ask its operator"
        case .noReceipt: "its answer was not a receipt; check \(words.address), and look for a captive portal"
        }
    }
}
