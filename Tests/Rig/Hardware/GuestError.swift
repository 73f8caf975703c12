/// A violation of the protocol by a guest. It ends the guest's connection, and nothing else.
struct GuestError: Error, Equatable, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
