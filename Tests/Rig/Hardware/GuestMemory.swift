import Glibc

/// The memory that a guest shares, mapped into this process.
///
/// The guest changes it at any time, so two reads of a value may differ. Not guarded against: a guest that truncates
/// its file later on kills a process that touches the lost part.
final class GuestMemory {
    /// A contiguous part, as `VHOST_USER_SET_MEM_TABLE` describes it.
    struct Region: Equatable {
        /// The address by which the guest's devices see it.
        let guestAddress: UInt64
        let size: UInt64
        /// The address by which the process that runs the guest sees it.
        let userAddress: UInt64
        /// The offset of its beginning in the file that came with it.
        let offset: UInt64
    }

    /// The address space of an address.
    enum Space {
        /// Buffers are given by the guest's own addresses.
        case guest
        /// Rings are given by addresses of the process that runs the guest.
        case user
    }

    private let mappings: [Mapping]

    /// Maps each region of the file beside it. The files may be closed afterwards.
    init(_ regions: [(region: Region, file: Descriptor)]) throws(GuestError) {
        var mappings: [Mapping] = []
        for (region, file) in regions { mappings.append(try Mapping(region, of: file)) }
        self.mappings = mappings
    }

    /// A pointer to `count` bytes from `address` on, all of them in one region. Valid as long as this object.
    func pointer(
        to count: Int, at address: UInt64, in space: Space = .guest
    ) throws(GuestError) -> UnsafeMutableRawPointer {
        for mapping in mappings {
            let base = space == .guest ? mapping.region.guestAddress : mapping.region.userAddress
            guard address >= base, address - base <= mapping.region.size else { continue }
            guard count >= 0, UInt64(count) <= mapping.region.size - (address - base) else { continue }
            return mapping.start + Int(address - base)
        }
        throw GuestError("\(count) bytes at \(hex(address)) are not in the guest's memory")
    }
}

extension GuestMemory {
    /// A region while it is mapped.
    private final class Mapping {
        /// A bound above the memory of any test's guest.
        private static let largest: UInt64 = 1 << 40

        let region: Region
        let start: UnsafeMutableRawPointer
        private let file: UnsafeMutableRawPointer

        /// A file that ends before the region is refused, because touching memory beyond its end would kill this
        /// process.
        init(_ region: Region, of descriptor: Descriptor) throws(GuestError) {
            var status = stat()
            guard fstat(descriptor.number, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
                throw GuestError("the memory at \(hex(region.guestAddress)) is not backed by a file")
            }
            guard region.size > 0, region.size <= Self.largest, region.offset <= Self.largest,
                region.offset + region.size <= UInt64(status.st_size),
                !region.guestAddress.addingReportingOverflow(region.size).overflow,
                !region.userAddress.addingReportingOverflow(region.size).overflow
            else { throw GuestError("the memory at \(hex(region.guestAddress)) reaches beyond its file") }
            let length = Int(region.offset + region.size)
            guard let file = mmap(nil, length, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor.number, 0),
                file != MAP_FAILED
            else { throw GuestError("the memory at \(hex(region.guestAddress)) cannot be mapped") }
            self.region = region
            self.file = file
            start = file + Int(region.offset)
        }

        deinit { munmap(file, Int(region.offset + region.size)) }
    }
}

/// An address in hexadecimal.
private func hex(_ address: UInt64) -> String { "0x" + String(address, radix: 16) }
