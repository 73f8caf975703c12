import CGlibc
import CSQLite
import Consent
import Domains
import Ledger
import Program
import Quantities
import Sensing
import Signal
import Timekeeping

/// The program, as C begins one: Embedded Swift has no command line of its own.
@_cdecl("main")
public func main(_ count: Int32, _ words: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> Int32 {
    let arguments = (1..<max(Int(count), 1)).compactMap { words[$0].map { String(cString: $0) } }
    do {
        try run(Arguments(arguments))
        return 0
    } catch {
        say("aniccad-embedded: " + error.message)
        return 1
    }
}

/// Senses until a signal, or until so many windows were taken.
private func run(_ arguments: Arguments) throws(StartError) {
    guard let loop = Loop(isVirtual: arguments.isVirtual) else {
        throw StartError(message: "epoll, timerfd or signalfd: errno \(current_errno())")
    }
    let boot = try arguments.isVirtual ? BootID.unknown : currentBoot()
    let store = try Store(arguments.store, boot: boot)
    let order = try store.allow([.motion, .steps, .sleep], at: loop.now.wall)
    if arguments.stops { store.onFirstCommit = { raise(SIGSTOP) } }
    let service = SensingService(
        rules: SensingRules(), devices: Devices(path: arguments.bus, loop: loop), store: store, boot: boot, note: tell,
        signal: {})
    service.begin(nil, at: loop.now)
    service.allow(order, at: loop.now)
    try give(up: service.takeLosses())
    // As the daemon does, and as far as the kernel lets it.
    do { try MappedCode.release() } catch {}
    var windows = 0
    var last: BootTime?
    while arguments.windows.map({ windows < $0 }) ?? true {
        guard loop.wait(until: service.agenda(at: loop.now).wakeAt) else { break }
        service.handle(.timer, at: loop.now)
        try give(up: service.takeLosses())
        if service.session.lastWindow != last { windows += 1 }
        last = service.session.lastWindow
    }
    repeatJudgement(arguments.judgements)
    try repeatCommit(arguments.commits, store, service, at: loop.now)
    if arguments.stops { raise(SIGSTOP) }
    say(
        "windows \(windows), commits \(store.commits), heap \(mallinfo2().uordblks), of it SQLite's \(sqlite3_memory_used())"
    )
    service.stop(at: loop.now)
    store.inner.ledger.anchorStore()
}

/// The daemon would wait for a device that is away; this one has nothing else to do.
private func give(up losses: [DeviceLoss]) throws(StartError) {
    if let loss = losses.first { throw StartError(message: loss.reason) }
}

private func currentBoot() throws(StartError) -> BootID {
    do {
        return try BootID.current()
    } catch {
        throw StartError(message: "the boot cannot be read from /proc/sys/kernel/random/boot_id")
    }
}

private func tell(_ note: SensingNote) {
    switch note {
    case .sensorFailed(let reason, _), .sensorQuiet(let reason, _), .windowLost(let reason), .storeFailed(let reason):
        say("aniccad-embedded: " + reason)
    default: break
    }
}

private func say(_ text: String) {
    var line = Array(text.utf8)
    line.append(UInt8(ascii: "\n"))
    _ = write(2, line, line.count)
}

/// The judgement of one walker's window, again and again.
private func repeatJudgement(_ count: Int) {
    let routine = Routine()
    let samples = (0..<Window.length).map { routine.acceleration(at: BootTime(nanoseconds: Int64($0) * 40_000_000)) }
    guard count > 0, let window = Window(samples) else { return }
    var judge = ActivityJudge()
    for _ in 0..<count { _ = judge.judge(ActivityFeatures(window), after: .minutes(1)) }
}

/// A commit of the session's state alone, again and again.
private func repeatCommit(
    _ count: Int, _ store: Store, _ service: SensingService, at now: Instant
) throws(StartError) {
    do {
        for _ in 0..<count {
            let state = service.session.checkpoint(at: now)
            _ = try store.commit(
                Batch(checkpoint: state, wall: now.wall, consentRevision: service.session.consentRevision))
        }
    } catch {
        throw StartError(message: error.description)
    }
}
