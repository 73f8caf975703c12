import Core

extension HoldReason {
    /// For people, after "until …:".
    public func text(_ words: SinkWords) -> String {
        switch self {
        case .unreachable: "there was no connection"
        case .busy: "it asked for a wait, or has too much to do"
        case .wrongAddress: "it does not know the address; see \(words.address)"
        case .refuses: "it refused two records in a row"
        case .refusesErasure: "it does not erase what it is asked to; ask whoever runs it"
        case .noReceipt: "its answer was no receipt; see \(words.address), and for a portal in between"
        }
    }
}
