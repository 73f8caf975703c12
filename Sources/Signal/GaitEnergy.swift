/// The intensity of walking and running, in metabolic equivalents (MET): multiples of 1 kcal per kg and hour, the
/// approximate rate at rest.
public enum GaitEnergy {
    /// Of walking at this cadence, in steps per minute.
    ///
    /// Source: Tudor-Locke et al., IJBNPA 2019 and 2020 (CADENCE-Adults): 100 steps a minute are 3 MET, and each 10 more
    /// are one more. Below, the Compendium of Physical Activities 2011 has 2 MET for the slowest walking (17151).
    public static func walking(cadence: Float) -> Float { min(max(3 + (cadence - 100) / 10, 2), 7) }

    /// Of running, by ENMO in g.
    ///
    /// Source: Hildebrand et al., Med Sci Sports Exerc 2014: adults with an accelerometer at the wrist take up
    /// 0.0320 · ENMO [mg] + 7.28 ml of oxygen per kg and minute; 3.5 are one MET. The Compendium has 6 MET for the
    /// slowest running (12010, jogging and walking) and 23 for the fastest (12135).
    public static func running(enmo: Float) -> Float { min(max((32.0 * enmo + 7.28) / 3.5, 6), 23) }
}
