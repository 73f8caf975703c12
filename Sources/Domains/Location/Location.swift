/// Location, from gpsd (SPEC §11).
extension Domain {
    public static let location = Domain(
        id: 5, name: "location", permission: .location,
        scopes: [ScopePart(.placeEvents, "place events"), ScopePart(.coordinates, "coordinates")],
        least: .placeEvents, hardware: .gpsd, events: [.geofenceEntered, .geofenceExited, .visit], books: [.places],
        settings: LocationSettings.self, collector: LocationCollector.self,
        words: DomainWords(
            purpose: "when you come to a place, leave it or stay there",
            collected:
                "where you are, from gpsd; which place that is, is worked out on this device, and only the name that you gave it "
                + "is sent; where it lies is stored if you agree to coordinates, and never sent",
            whenOn: "is asked where you are, and places raise events",
            whenOff: "data not yet sent will not be sent",
            policy: "Whether the position may be asked of gpsd.",
            choices: [
                DomainWords.Choice(
                    words: ["events only", "only events", "events only, no coordinates"], meaning: "no coordinates",
                    scope: .placeEvents)
            ]))
}

extension Permission {
    public static let location = Permission(id: 4, order: 40, name: "location", title: "Location")
}

extension Scope {
    /// Events when a place was entered, left or visited.
    public static let placeEvents = Scope(id: 4)
    /// The coordinates of the place.
    public static let coordinates = Scope(id: 5)
}

extension EventKind {
    public static let geofenceEntered = EventKind(
        id: 3, name: "geofence_entered", meaning: "that you came to a place", member: .place, source: .gps)
    public static let geofenceExited = EventKind(
        id: 4, name: "geofence_exited", meaning: "that you left one", member: .place, source: .gps)
    public static let visit = EventKind(
        id: 5, name: "visit", meaning: "that you stay somewhere", member: .place,
        source: .gps)
}

extension Book {
    public static let places = Book(
        id: 3, name: "places",
        meaning:
            "when you came to a place and left it, with its name, and if you agree to coordinates where it lies and where you were",
        source: .gps, rows: .byDay, of: PlaceDay.self)
}

extension EventMember {
    /// The value is `Fence.number`. Nothing is sent for a place outside all fences, or for a name that was removed.
    static let place = EventMember(key: "place", meaning: "the name that you gave the place") { value, settings in
        settings[LocationSettings.self].fences.name(ofNumber: value).map { .text($0) }
    }
}
