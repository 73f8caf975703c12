import Core
import Domains

/// The pulse oximeter, whose LEDs are lit only while a collector wants light.
///
/// A FIFO of a second needs many wake-ups, so each window that comes anyway drains it too.
extension SensingSession {
    /// The domains that the pulse oximeter serves now.
    var servedByLight: DomainSet { isOpen(.oximeter) ? served(by: .oximeter) : [] }

    /// Whether the LEDs are to be on, and windows to follow one another without a gap.
    var wantsLight: Bool { isOpen(.oximeter) && signals.contains(.light) }

    /// Turns the LEDs on or off, as the collectors want.
    mutating func followLight(at now: Instant) -> [SensingAction] {
        let isWanted = wantsLight
        guard isWanted != (lightDue != nil) else { return [] }
        lightDue = isWanted ? now.boot + rules.lightInterval : nil
        return [.light(isWanted)]
    }

    /// Drains the FIFO when it is due.
    mutating func lightIsDue(at now: Instant) -> [SensingAction] {
        guard let lightDue, lightDue <= now.boot else { return [] }
        return readLight(at: now)
    }

    /// Drains the FIFO now.
    mutating func readLight(at now: Instant) -> [SensingAction] {
        guard lightDue != nil else { return [] }
        lightDue = now.boot + rules.lightInterval
        return [.readLight]
    }

    mutating func take(_ drain: PulseDrain, at now: Instant) -> [SensingAction] {
        guard lightDue != nil else { return [] }
        let recovered = take(.worked, of: .oximeter, at: now)
        return recovered + tell(.light(drain), served(by: .oximeter), at: now)
    }

    /// Turns off LEDs that an earlier process or a failed transfer may have left on, unless the chip is opened anyway:
    /// opening shuts it down. Tried again with each order and each window, at the stop and by the next process, until
    /// the chip was opened.
    func darken(before order: CollectionOrder? = nil) -> [SensingAction] {
        let source = source(.oximeter)
        let isOpened = order.map { !$0.domains.isDisjoint(with: source.domains) } ?? isOpening(.oximeter)
        return mayBeLit && !isOpened ? [.open(.oximeter), .close(.oximeter)] : []
    }
}
