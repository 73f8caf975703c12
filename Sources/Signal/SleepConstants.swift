// Made by Training/sleep.py; do not edit: train again.
//
// Trained on 16 nights of 16 people beside polysomnography, by movement alone. Python 3.11, numpy 2.4.6.

/// The numbers of `SleepScorer`: an epoch is asleep where the sum of its features, weighted, and the bias is above 0.
enum SleepConstants {
    /// Mean level of the epochs within 30 s.
    static let shortMean: Float = -0.5462
    /// Mean level of the epochs within 7.5 min.
    static let longMean: Float = -0.3882
    /// Greatest level of the epochs within 15 min.
    static let greatest: Float = -0.4916
    /// 2^-(minutes of rest up to the epoch / 7): 1 before the first rest.
    static let restless: Float = -2.4958
    /// Restless * log2(1 + epochs since it last moved, at most 60).
    static let restlessSince: Float = -0.6859
    /// 2^-(minutes of rest from the epoch on / 7) * log2(1 + epochs until it moves next, at most 60).
    static let restlessUntil: Float = -0.7094
    static let bias: Float = 4.9513
}
