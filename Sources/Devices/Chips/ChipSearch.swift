/// Searches a bus for one of several models of chip, by identity registers alone. It writes to no chip.
public struct ChipSearch<Kind: BusChip>: Sendable {
    /// A chip that is, or may be, at an address.
    public struct Place: Sendable {
        public let chip: Kind
        public let address: I2CAddress
    }

    /// The places that are searched, in this order.
    public let places: [Place]
    /// The kind of device, for messages: `accelerometer`.
    public let device: String

    /// - Parameters:
    ///   - chips: The models to search for.
    ///   - device: The kind of device.
    ///   - address: The only address to search; nil for all addresses of the chips.
    public init(for chips: [Kind], of device: String, at address: I2CAddress? = nil) {
        self.device = device
        places = chips.flatMap { chip in
            chip.addresses.filter { address == nil || $0 == address }.map { Place(chip: chip, address: $0) }
        }
    }

    /// The first place at which a chip has the right identity.
    ///
    /// Another chip or no answer at a place leads to the next; a failure of the whole bus ends the search. If no chip
    /// is found, the error names, in order of preference: one of `Kind.refused`, another chip that answered, an address
    /// that failed, no answer.
    public func find(on bus: any I2CBus) throws(SensorError) -> Place {
        var stranger: SensorError?
        var strangers: [I2CAddress] = []
        var fault = BusError.noAcknowledge
        for place in places {
            do throws(BusError) {
                guard let complaint = place.chip.complaint(about: try place.identity(on: bus)) else { return place }
                stranger = stranger ?? complaint
                strangers.append(place.address)
            } catch {
                switch error {
                case .noAcknowledge: continue
                case .busy, .failed: fault = error
                case .absent, .denied, .stuck, .unsupported: throw unreachable(error)
                }
            }
        }
        throw refusal(of: strangers, on: bus) ?? stranger ?? unreachable(fault)
    }

    private func refusal(of strangers: [I2CAddress], on bus: any I2CBus) -> SensorError? {
        for (index, address) in strangers.enumerated() where !strangers[..<index].contains(address) {
            if let chip = Kind.refused.first(where: { $0.answers(at: address, on: bus) }) {
                return chip.refusal(at: address)
            }
        }
        return nil
    }

    /// The error for a search that found no chip because of this bus error.
    public func unreachable(_ error: BusError) -> SensorError { .unreachable(error, tried: tried, device: device) }

    /// Chips and addresses: `MPU-6050 at 0x68 or 0x69`.
    public var tried: String {
        var text = ""
        for (index, place) in places.enumerated() {
            if index > 0, places[index - 1].chip == place.chip {
                text += " or \(place.address)"
            } else {
                text += "\(index > 0 ? ", " : "")\(place.chip.name) at \(place.address)"
            }
        }
        return text
    }
}

extension ChipSearch where Kind == Chip {
    /// A search for accelerometers.
    public init(for chips: [Chip] = Chip.all, at address: I2CAddress? = nil) {
        self.init(for: chips, of: Chip.device, at: address)
    }

    /// The chips that answer at addresses of known chips, searched or not, with the value of the identity register.
    /// Each is listed once, as the chip with that identity if there is one.
    public static func answers(on bus: any I2CBus) -> [(place: Place, identity: UInt8)] {
        var answers: [(place: Place, identity: UInt8)] = []
        for place in Self().places {
            let known = answers.firstIndex { $0.place.hasSameRegister(as: place) }
            // A failure to read is reported by the daemon's own search.
            guard let identity = known.map({ answers[$0].identity }) ?? (try? place.identity(on: bus)) else { continue }
            switch known {
            case nil: answers.append((place, identity))
            case let index? where place.chip.identities.contains(identity): answers[index].place = place
            default: break
            }
        }
        return answers
    }
}

extension ChipSearch.Place {
    fileprivate func hasSameRegister(as other: Self) -> Bool {
        address == other.address && chip.identityRegister.number == other.chip.identityRegister.number
    }

    fileprivate func identity(on bus: any I2CBus) throws(BusError) -> UInt8 {
        try bus.read(1, from: chip.identityRegister.number, of: address)[0]
    }
}
