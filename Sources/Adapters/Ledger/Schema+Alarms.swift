extension Schema {
    static let books = """
        -- What the wearer set, and what servers asked for: 1 for the alarms (AlarmBook), 2 for the nudges (NudgeBook),
        -- from 1,000,000 on the places of each UTC day (PlaceDay).
        CREATE TABLE book(
            id INTEGER PRIMARY KEY, source INTEGER NOT NULL, sample_type INTEGER NOT NULL, granularity INTEGER NOT NULL,
            consent INTEGER NOT NULL, sealed BLOB NOT NULL);
        """
}
