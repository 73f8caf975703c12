import Quantities

/// Decides from what the IMU shows whether steps stand, whoever counted them.
///
/// Walking is recognised quickly and ruled out slowly: what follows a recognised walk is believed until the windows
/// speak clearly against it. A vehicle is believed until walking is recognised, because nobody leaves one otherwise. A
/// wearer who rests contradicts nothing: a few steps are over before they are recognised, and who pushes a cart may
/// walk with arms at rest.
///
/// Limits: who combs their hair with the hand that wears the sensor, or pedals with it in a trouser pocket, may be
/// taken for a walker.
public struct GaitEvidence: Equatable, Sendable {
    /// What becomes of the steps since the last that were credited or dropped.
    public enum Ruling: Sendable { case credit, wait, drop }

    private let rule: GaitRule
    /// Whether steps are credited without further evidence. While they are not, a window during them decides.
    public private(set) var isWalking = false
    private var isRiding = false
    /// Windows so far that saw the steps that wait, but no walking.
    private var windowsAgainst: Int32 = 0

    public init(rule: GaitRule = GaitRule()) { self.rule = rule }

    /// Whether it takes a window during the next steps to tell what becomes of them: walking is not recognised, nor did
    /// the latest windows drop steps that went on in them.
    public var isOpen: Bool { !isWalking && windowsAgainst <= rule.patience }

    /// Takes what the wearer is believed to do after a window.
    ///
    /// - Parameters:
    ///   - belief: given this window and those before it.
    ///   - sawSteps: whether some of the steps were counted during the window, or so shortly before that walking
    ///     should show in it. Without such steps only a vehicle, before and after them, contradicts them.
    public mutating func judge(_ belief: ActivityProbabilities, sawSteps: Bool) -> Ruling {
        let wasRiding = isRiding
        update(belief)
        let isResting = belief.stationary >= rule.rest
        if isWalking || isResting && !isRiding {
            windowsAgainst = 0
            return .credit
        }
        if sawSteps {
            windowsAgainst = min(windowsAgainst + 1, rule.patience + 1)
            return windowsAgainst > rule.patience ? .drop : .wait
        }
        defer { windowsAgainst = 0 }
        return windowsAgainst > 0 || wasRiding && isRiding ? .drop : .credit
    }

    private mutating func update(_ belief: ActivityProbabilities) {
        let onFoot = belief.walking + belief.running
        if onFoot >= rule.begin {
            isWalking = true
            isRiding = false
        } else {
            if onFoot < rule.end { isWalking = false }
            if belief.automotive >= rule.vehicle { isRiding = true }
        }
    }
}

extension GaitEvidence {
    public func pack(into packer: inout Packer) {
        packer.put(isWalking)
        packer.put(isRiding)
        packer.put(UInt8(clamping: windowsAgainst))
    }

    /// Reads back what `pack` wrote. What it leaves behind when that is malformed is of no use.
    public mutating func unpack(from unpacker: inout Unpacker) throws(Unpacker.Malformed) {
        isWalking = try unpacker.takeBool()
        isRiding = try unpacker.takeBool()
        windowsAgainst = min(Int32(try unpacker.take(UInt8.self)), rule.patience + 1)
    }
}
