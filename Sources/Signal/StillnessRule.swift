import Core

/// Thresholds that distinguish a sitting wearer from a sleeping one and from an empty table.
public struct StillnessRule: Equatable, Sendable {
    // MARK: Spells

    /// The cosine of the largest change of posture within a still spell: 5°, the angle of the sustained
    /// inactivity bouts of van Hees et al., "A Novel, Open Access Method to Assess Sleep Duration Using a
    /// Wrist-Worn Accelerometer", PLoS ONE 10(11), 2015.
    public var postureCosine: Float = 0.996_195
    /// The most movement in a still window, as the deviation of the acceleration vector in g.
    public var stillDeviation: Float = 0.020
    /// From this length on a still spell is long: sitters shift earlier, sleepers do not.
    public var longSpell = Interval.minutes(10)
    /// The longest time between two long spells of one rest: a turn in bed.
    public var longestTurn = Interval.minutes(5)
    /// From this length on a rest of long spells is sleep.
    public var asleepAfter = Interval.minutes(60)
    /// A sleeper without a long spell for this time is awake, from the first stir on.
    public var awakeAfter = Interval.minutes(20)
    /// The number of walking windows in a row that wake a sleeper; fewer may be a turn in bed. One is enough where
    /// steps were counted with it.
    public var walksToWake = 2

    // MARK: Signs of life

    /// A window with no more movement than this, as the deviation of the acceleration vector in g, is at rest whatever
    /// its activity: after a bump it takes a window or two until it is judged stationary again. Of the windows of a
    /// running train, one in twenty moved less.
    public var quietDeviation: Float = 0.010
    /// Slow movement belongs to a body if it exceeds this share of the fast. White noise, of a chip or of a shaking
    /// table, has 0.22 ± 0.04 at any strength, 0.24 behind a filter of 10 Hz, and 0.26 if recorded at 20 Hz and
    /// interpolated. Breathing of 1.25 mg on top of an MPU-6050's noise has more in 95 of 100 windows.
    public var swayShare: Float = 0.38
    /// Slow movement below this, in g, is ignored: a very quiet chip shows its quantisation steps.
    public var leastSway: Float = 0.000_6
    /// The largest difference between the means of two successive windows of a lying object, in g: five times the
    /// difference that the noise of an MPU-6050 causes between two means of 128 samples.
    public var drift: Float = 0.001_5
    /// The difference may also be this share of the fast movement: 2.4 times the difference that white noise causes
    /// between two such means; one in a thousand exceeds it.
    public var driftShare: Float = 0.3
    /// Added to it for each minute between the windows, in g. A phone that cooled on a table drifted by 0.5 mg in a
    /// minute, 1.5 mg in five (medians); an MPU-6050's zero-g level changes by about 0.5 (x, y) and 0.9 mg (z) per
    /// degree (PS-MPU-6000A-00 rev 3.4, §6.2: ±35 and ±60 mg over 0 to 70 °C).
    public var driftPerMinute: Float = 0.000_5

    /// The longest time from the end of the first to that of the last window that show the same nudge.
    public var longestNudge = Interval.seconds(15)

    // MARK: Time that a sign takes back

    /// The most time that a window stands for: earlier time was not observed and does not count.
    public var longestLook = Interval.minutes(10)
    /// A nudge takes back the time that this many windows have added, but no more than `nudgeCosts`.
    public var looksPerNudge: Int64 = 10
    public var nudgeCosts = Interval.minutes(10)
    /// The same for sway and for a turn.
    public var looksPerSway: Int64 = 30
    public var swayCosts = Interval.minutes(30)

    // MARK: Lifeless time that decides

    /// A sensor that was lifeless, or has not swayed, for this long does not count as a sleeper's, unless it is as warm
    /// as on the wearer.
    public var mayBeOffAfter = Interval.minutes(20)
    /// A sensor that was lifeless for this long and has cooled by `coolsBy` since the last walk is not worn.
    public var offIfCold = Interval.minutes(30)
    /// A sensor that was lifeless for this long and lies on one of the chip's faces is not worn. Van Hees et al. also
    /// use windows of an hour to find a wrist sensor that is not worn, with a far looser floor of 13 mg: "Separating
    /// Movement and Gravity Components in an Acceleration Signal …", PLoS ONE 8(4), 2013.
    public var offIfFlat = Interval.minutes(60)
    /// The same in any other posture: a bag on a chair, or a limb on a mattress.
    public var offIfTilted = Interval.minutes(120)
    /// The same while as warm as at the last walk, or on a wearer known to sleep.
    public var offIfWarm = Interval.minutes(240)
    /// Degrees Celsius. A worn sensor is 5 to 10 °C warmer than the room (Zhou et al., "Classification of Accelerometer
    /// Wear and Non-Wear Events in Seconds for Monitoring Free-Living Physical Activity", BMJ Open 5:e007447, 2015).
    public var coolsBy: Float = 3
    /// Degrees Celsius: a sensor that has cooled by less is as warm as it was.
    public var staysWarmWithin: Float = 1
    /// The cosine of the largest tilt of a face: 5°, of which the zero-g offset (±50 mg on x and y) may take 3°.
    public var flatCosine: Float = 0.996_195

    public init() {}
}
