/// Stored parts, each with its own tag, version and length, so that a program can skip parts that it does not know
/// (docs/decisions/0023-parts.md).
///
/// Encoding: one part after another, little-endian: tag (2 bytes), version (1), length (4), content. Parts keep the
/// order in which they were read or first put. A part that is not replaced is written back byte for byte.
public struct Parts: Sendable {
    /// Identifies a part in a list. The meaning of a tag never changes.
    public typealias Tag = UInt16

    /// A part that a program knows.
    public struct Kind: Sendable {
        public let tag: Tag
        /// The version that the program writes, and the newest that it reads.
        public let version: UInt8

        public init(_ tag: Tag, version: UInt8) {
            self.tag = tag
            self.version = version
        }
    }

    /// One part as it is stored.
    public struct Part: Sendable {
        public let tag: Tag
        public let version: UInt8
        /// Shares memory with the source.
        public let content: ArraySlice<UInt8>

        /// A reader of the content, from its first byte on.
        public var unpacker: Unpacker { Unpacker(content) }

        /// A copy with its own memory, so that the bytes that were read can be wiped.
        public var detached: Part {
            var copy = Packer()
            copy.put(content)
            return Part(tag: tag, version: version, content: copy.bytes[...])
        }
    }

    /// Lists with more parts are refused. Our lists are much shorter.
    public static let mostParts = 1024

    /// In stored order; no tag occurs twice.
    public private(set) var all: [Part] = []

    public init() {}

    /// Reads a whole list of untrusted bytes. `Malformed`: a length beyond their end, trailing bytes, a tag that occurs
    /// twice, or more than `mostParts`.
    public init(_ bytes: [UInt8]) throws(Unpacker.Malformed) { try self.init(bytes[...]) }

    public init(_ bytes: ArraySlice<UInt8>) throws(Unpacker.Malformed) {
        var unpacker = Unpacker(bytes)
        while !unpacker.isAtEnd {
            let tag: Tag = try unpacker.take()
            let version: UInt8 = try unpacker.take()
            let length: UInt32 = try unpacker.take()
            // Int has 32 bits on some targets.
            guard let count = Int(exactly: length) else { throw Unpacker.Malformed() }
            let content = try unpacker.takeBytes(count)
            guard self[tag] == nil, all.count < Parts.mostParts else { throw Unpacker.Malformed() }
            all.append(Part(tag: tag, version: version, content: content))
        }
    }

    public var isEmpty: Bool { all.isEmpty }

    /// Nil if there is no such part.
    public subscript(_ tag: Tag) -> Part? {
        for part in all where part.tag == tag { return part }
        return nil
    }

    /// The part of this kind, in its own or an older version; nil if there is none. A newer version is `Malformed`;
    /// call `firstNewer` first to tell it from damage.
    public subscript(_ kind: Kind) -> Part? {
        get throws(Unpacker.Malformed) {
            guard let part = self[kind.tag] else { return nil }
            guard part.version <= kind.version else { throw Unpacker.Malformed() }
            return part
        }
    }

    /// A part of a later version than the program knows. It must not be replaced, because this program cannot carry
    /// over the content of the newer one.
    public struct Newer: Equatable, Sendable {
        public let tag: Tag
        public let found: UInt8
        public let known: UInt8

        public init(tag: Tag, found: UInt8, known: UInt8) {
            self.tag = tag
            self.found = found
            self.known = known
        }
    }

    /// The first such part; nil if the program knows all versions.
    public func firstNewer(than known: [Kind]) -> Newer? {
        for part in all {
            for kind in known where kind.tag == part.tag && kind.version < part.version {
                return Newer(tag: part.tag, found: part.version, known: kind.version)
            }
        }
        return nil
    }

    /// The parts of other kinds, with their own memory: the caller can wipe the bytes that were read.
    public func excluding(_ known: [Kind]) -> Parts {
        var rest = Parts()
        for part in all {
            var isKnown = false
            for kind in known where kind.tag == part.tag { isKnown = true }
            guard !isKnown else { continue }
            rest.all.append(part.detached)
        }
        return rest
    }

    /// Replaces the part with the same tag, or appends it.
    public mutating func put(_ kind: Kind, _ content: [UInt8]) {
        put(Part(tag: kind.tag, version: kind.version, content: content[...]))
    }

    /// Puts what `pack` writes.
    public mutating func put(_ kind: Kind, _ pack: (inout Packer) -> Void) {
        var packer = Packer()
        pack(&packer)
        put(kind, packer.bytes)
    }

    public mutating func put(_ part: Part) {
        for index in all.indices where all[index].tag == part.tag {
            all[index] = part
            return
        }
        all.append(part)
    }

    /// Removes the part, if present.
    public mutating func remove(_ tag: Tag) { all.removeAll { $0.tag == tag } }

    /// The stored form.
    public var bytes: [UInt8] {
        var packer = Packer()
        pack(into: &packer)
        return packer.bytes
    }

    /// Writes `bytes` into a larger structure, which has to store their length.
    public func pack(into packer: inout Packer) {
        for part in all {
            packer.put(part.tag)
            packer.put(part.version)
            packer.put(UInt32(part.content.count))
            packer.put(part.content)
        }
    }
}
