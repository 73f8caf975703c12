import Core

/// The books are lists: the number of elements in a byte, then the elements.
extension Parts {
    /// Puts a list of at most 255 elements.
    mutating func put<Element>(
        _ kind: Kind, each elements: [Element], _ pack: (Element, inout Packer) -> Void
    ) {
        put(kind) { packer in
            packer.put(UInt8(elements.count))
            for element in elements { pack(element, &packer) }
        }
    }

    /// The list of a part, which must be complete; empty if there is no such part.
    func list<Element>(
        _ kind: Kind, atMost most: Int, _ read: (inout Unpacker) throws(Unpacker.Malformed) -> Element
    ) throws(Unpacker.Malformed) -> [Element] {
        guard var unpacker = try self[kind]?.unpacker else { return [] }
        let count = Int(try unpacker.take(UInt8.self))
        guard count <= most else { throw Unpacker.Malformed() }
        var elements: [Element] = []
        for _ in 0..<count { elements.append(try read(&unpacker)) }
        guard unpacker.isAtEnd else { throw Unpacker.Malformed() }
        return elements
    }
}
