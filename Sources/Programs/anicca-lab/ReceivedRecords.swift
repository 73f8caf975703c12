import CSQLite
#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The records at a receiver, read from its store.
struct ReceivedRecords {
    struct Day: Decodable {
        let date: String
        let steps: Int?
        let sedentaryMinutes: Int?
        let sleepDurationMin: Int?
        let wakeAt: String?
        let snsMinutesTotal: Int?
        let walkingCadence, distanceM, activeEnergyKcal: Int?
        let workouts: [Workout]?
        let flightsClimbed, restingHeartRate: Int?
        let heartRate: HeartRate?
        let mindfulMinutes, dietaryEnergyKcal: Int?
    }

    struct Workout: Decodable {
        let kind: String
        let minutes: Int
    }

    struct HeartRate: Decodable {
        let min, median, max: Int
    }

    struct Event: Decodable {
        struct Payload: Decodable {
            let place: String?
        }

        let eventType: String
        let timestamp: String
        let eventPayload: Payload
        var place: String? { eventPayload.place }
    }

    private(set) var days: [Day] = []
    private(set) var events: [Event] = []

    struct Unreadable: Error, CustomStringConvertible {
        let description: String
    }

    init(path: String) throws {
        var database: OpaquePointer?
        defer { sqlite3_close(database) }
        guard sqlite3_open_v2(path, &database, SQLITE_OPEN_READONLY, nil) == SQLITE_OK else {
            throw Unreadable(description: "cannot read what the receiver kept in \(path)")
        }
        var statement: OpaquePointer?
        defer { sqlite3_finalize(statement) }
        guard
            sqlite3_prepare_v2(database, "SELECT path, body FROM records ORDER BY id", -1, &statement, nil) == SQLITE_OK
        else { throw Unreadable(description: String(cString: sqlite3_errmsg(database))) }
        while sqlite3_step(statement) == SQLITE_ROW {
            guard let path = sqlite3_column_text(statement, 0), let body = sqlite3_column_text(statement, 1) else {
                continue
            }
            let json = Data(String(cString: body).utf8)
            if String(cString: path).hasSuffix("daily_metrics") {
                days.append(try JSONDecoder().decode(Day.self, from: json))
            } else {
                events.append(try JSONDecoder().decode(Event.self, from: json))
            }
        }
    }
}
