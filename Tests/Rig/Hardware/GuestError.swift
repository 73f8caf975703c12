/// Something that a guest did and that the protocol forbids. It ends the guest's connection, and nothing else.
struct GuestError: Error, Equatable, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
