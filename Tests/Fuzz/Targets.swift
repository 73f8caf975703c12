import Config
import Delivery
import Domains
import Foundation
import Core
import Recordings

@testable import Devices
@testable import Store
@testable import Sensing

/// What is fuzzed: everything that reads bytes of others. One is chosen by its name.
let targets: [String: @Sendable ([UInt8]) -> Void] = [
    "settings": fuzzSettings,
    "account": fuzzAccount,
    "rows": fuzzRows,
    "checkpoint": fuzzCheckpoint,
    "recording": fuzzRecording,
    "power": fuzzPower,
    "words": fuzzWords,
    "reply": fuzzReply,
    "report": fuzzReport,
    "gpsd": fuzzGpsd,
    "nudge": fuzzNudge,
]

/// A file of configuration. Every problem is told with its place.
func fuzzSettings(_ bytes: [UInt8]) {
    do {
        _ = try Settings.parse(bytes, name: "fuzz.conf", sensors: .known)
    } catch {
        require(!error.problems.isEmpty, "a configuration is refused without a reason")
    }
}

/// The file of an account, and a token.
func fuzzAccount(_ bytes: [UInt8]) {
    if let account = AccountFile(content: bytes) {
        require(AccountFile.userID(account.userID) == account.userID, "a user id that is none")
    }
    _ = Secret(.token, fileContent: bytes)
}

/// The payloads of the store's rows, as after the seal has opened. What is read is written as it was.
func fuzzRows(_ bytes: [UInt8]) {
    bytes.withUnsafeBytes { payload in
        again(payload, DeliveryState.init(payload:)) { $0.payload }
        again(payload, DeliveryLog.init(payload:)) { $0.payload }
        again(payload, StoreMark.init(payload:)) { $0.payload }
        again(payload, RecordField.all(payload:)) { RecordField.payload($0) }
        _ = try? StoreAnchor.Record(payload: payload)
        _ = try? Int64(payload: payload)
    }
    if let snapshot = ConsentSnapshot(payload: bytes) {
        require(ConsentSnapshot(payload: snapshot.payload) == snapshot, "a snapshot changes when it is stored")
    }
    _ = ChainLink(payload: bytes)
}

private func again<Value: Equatable>(
    _ payload: UnsafeRawBufferPointer, _ read: (UnsafeRawBufferPointer) throws(Unpacker.Malformed) -> Value,
    _ write: (Value) -> [UInt8]
) {
    guard let value = try? read(payload) else { return }
    require(write(value).withUnsafeBytes { try? read($0) } == value, "\(Value.self) changes when it is stored")
}

private let boot = BootID(high: 1, low: 2)
private let now = Instant(
    boot: BootTime(nanoseconds: 86_400_000_000_000), wall: WallTime(secondsSinceEpoch: 1_790_000_000))

/// The state of a session, which is used and stored again.
func fuzzCheckpoint(_ bytes: [UInt8]) {
    _ = SensingSession.newerPart(of: bytes)
    var session = SensingSession(rules: SensingRules(Settings()), boot: boot)
    session.begin(nil, at: now)
    do {
        try session.restore(bytes, at: now)
    } catch {
        return
    }
    let stored = session.checkpoint(at: now)
    var next = SensingSession(rules: SensingRules(Settings()), boot: boot)
    next.begin(nil, at: now)
    do {
        try next.restore(stored, at: now)
    } catch {
        require(false, "a session cannot read its own state")
    }
    _ = SensingSession.forgetting(
        DomainSet(.steps), from: stored, toggles: .everything, rules: SensingRules(Settings()), at: now)
}

/// A file in memory: what reads files gets one.
private let file = "/dev/shm/anicca-fuzz-\(getpid())"

private func write(_ bytes: [UInt8], to path: String) {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    defer { close(descriptor) }
    _ = Foundation.write(descriptor, bytes, bytes.count)
}

/// A recording, packed or not.
func fuzzRecording(_ bytes: [UInt8]) {
    let path = file + (bytes.starts(with: [0x1F, 0x8B]) ? ".csv.gz" : ".csv")
    write(bytes, to: path)
    defer { unlink(path) }
    do {
        let reader = try RecordingReader(path: path)
        var count = 0
        while count < 10_000, try reader.next() != nil { count += 1 }
    } catch {
        require(!"\(error)".isEmpty, "a recording is refused without a reason")
    }
}

/// What the kernel tells of a battery.
func fuzzPower(_ bytes: [UInt8]) {
    let supply = file + ".power/BAT0"
    defer {
        for name in ["type", "capacity", "status"] { unlink("\(supply)/\(name)") }
        for folder in [supply, file + ".power"] { rmdir(folder) }
    }
    mkdir(file + ".power", 0o700)
    mkdir(supply, 0o700)
    write(Array("Battery\n".utf8), to: supply + "/type")
    write(bytes, to: supply + "/capacity")
    write(bytes, to: supply + "/status")
    let battery = Battery(powerSupplies: file + ".power", lowBelow: 15)
    require((0...100).contains(battery.charge ?? 0), "a charge that cannot be")
}

/// Times, days and boots, as people and the kernel write them.
func fuzzWords(_ bytes: [UInt8]) {
    let text = String(decoding: bytes, as: UTF8.self)
    if let time = WallTime(text) {
        require(WallTime("\(time)").map { $0 <= time } ?? false, "a time that does not read what it writes")
        _ = UTCDay(containing: time).end
    }
    if let day = UTCDay(text) { require(UTCDay("\(day)") == day, "a day that does not read what it writes") }
    _ = BootID(text)
}

/// A report of the paired phone.
func fuzzReport(_ bytes: [UInt8]) {
    let now = WallTime(secondsSinceEpoch: 1_763_467_200)
    do {
        let report = try ReportReader.report(in: bytes, written: now, at: now)
        switch report {
        case .use(let used):
            require(used.upperBound - used.lowerBound <= .days(1), "a report of more than a day")
            require(used.upperBound <= now + .minutes(5) && used.upperBound > now - .days(2), "a report of another day")
        case .total(let total):
            require((0...total.kind.most).contains(total.amount), "a total that no day has")
            require(total.start <= now + .minutes(5) && total.end > now - .days(3), "a total of another day")
        }
    } catch {
        return
    }
}

/// gpsd's side of a connection. It means the same in pieces of any size.
func fuzzGpsd(_ bytes: [UInt8]) {
    let whole = heard(bytes, inPiecesOf: bytes.count)
    require(heard(bytes, inPiecesOf: 1) == whole, "a line means something else in pieces")
    for fix in whole.fixes {
        let isPlace = fix.position.latitude.magnitude <= 90 && fix.position.longitude.magnitude <= 180
        require(isPlace, "a fix that is no place")
        require(fix.error ?? 0 >= 0 && fix.speed ?? 0 >= 0, "a fix with less than no error or speed")
        require((fix.error ?? 0).isFinite && (fix.speed ?? 0).isFinite, "a fix without a number")
    }
    if case .notGPSD(let words) = whole.failure {
        require(words.unicodeScalars.count <= 41, "a long quotation of a stranger")
        require(
            words.unicodeScalars.allSatisfy { $0 == "…" || ("\u{20}"..<"\u{7F}").contains($0) },
            "a sign that moves a cursor")
    }
}

private struct Heard: Equatable {
    var fixes: [Fix] = []
    var failure: PositionError?
}

private func heard(_ bytes: [UInt8], inPiecesOf size: Int) -> Heard {
    var talk = GPSDTalk()
    var result = Heard()
    var rest = bytes[...]
    while !rest.isEmpty {
        do throws(PositionError) {
            result.fixes += try talk.hear(rest.prefix(size), at: BootTime(nanoseconds: 0))
        } catch {
            // Fixes that came before it in the same piece are lost.
            return Heard(failure: error)
        }
        rest = rest.dropFirst(size)
    }
    return result
}
