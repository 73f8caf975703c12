import Core

/// Decides from the classified windows of the IMU whether counted steps of any step source are credited.
///
/// Walking is recognised quickly and ruled out slowly: steps after a recognised walk are credited until the windows
/// clearly contradict walking. One clear window is enough, except in a vehicle. A ride lasts until walking is believed
/// after all windows, because leaving a vehicle takes steps, and arms that steer look like walking at times. Rest
/// contradicts no steps, if the window itself shows it: a few steps are over before they are recognised, and a wearer
/// who pushes a cart walks with resting arms.
///
/// Limits: combing hair with the hand that wears the sensor, or pedalling with it in a trouser pocket, may pass for
/// walking.
public struct GaitEvidence: Equatable, Sendable {
    /// The decision about the undecided steps.
    public enum Ruling: Sendable { case credit, wait, drop }

    private let rule: GaitRule
    /// Whether steps are credited without further evidence. While false, a window during the steps decides.
    public private(set) var isWalking = false
    private var isRiding = false
    /// Windows so far that covered the waiting steps, but showed no walking.
    private var windowsAgainst: Int32 = 0

    public init(rule: GaitRule = GaitRule()) { self.rule = rule }

    /// Whether a window is needed during the next steps to decide about them: walking is not recognised, and the latest
    /// windows did not already drop steps that continued during them.
    public var isOpen: Bool { !isWalking && windowsAgainst <= rule.patience }

    /// Decides about the steps after a window.
    ///
    /// - Parameters:
    ///   - belief: the probabilities, given this window and those before it.
    ///   - alone: the probabilities, given this window alone, because a short walk is over before it is believed.
    ///   - sawSteps: whether some of the steps were counted during the window, or so shortly before that walking should
    ///     show in it. Without such steps only a vehicle, before and after them, contradicts them.
    public mutating func judge(
        _ belief: ActivityProbabilities, alone: ActivityProbabilities, sawSteps: Bool
    ) -> Ruling {
        let wasRiding = isRiding
        update(belief, isGait: alone.walking + alone.running >= rule.begin && !isRiding)
        let isResting = belief.stationary >= rule.rest && alone.automotive + alone.unknown < rule.unrest
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

    private mutating func update(_ belief: ActivityProbabilities, isGait: Bool) {
        let onFoot = belief.walking + belief.running
        if isGait || onFoot >= rule.begin {
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

    /// Restores the state that `pack` wrote. Discard the value if this throws: it may be half restored.
    public mutating func unpack(from unpacker: inout Unpacker) throws(Unpacker.Malformed) {
        isWalking = try unpacker.takeBool()
        isRiding = try unpacker.takeBool()
        windowsAgainst = min(Int32(try unpacker.take(UInt8.self)), rule.patience + 1)
    }
}
