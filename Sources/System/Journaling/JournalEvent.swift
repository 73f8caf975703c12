/// The kinds of event in the journal. Each has a name and a message id that never change, so that a search such as
/// `journalctl MESSAGE_ID=…` or `journalctl ANICCA_EVENT=sedentaryLong` finds it in every version.
///
/// The raw value is the name.
public enum JournalEvent: String, CaseIterable, Hashable, Sendable {
    // The program
    /// The program is ready.
    case started
    /// The program ends normally.
    case stopped
    /// The configuration was read again.
    case reloaded
    /// The configuration cannot be used; at a reload the old one stays in use.
    case configInvalid
    /// A wake file cannot be made, watched or removed; the work that it requests happens later.
    case bellUnusable

    // Sensors and lines
    /// A sensor answered with its identity.
    case sensorFound
    /// A sensor did not answer; it will be retried.
    case sensorFailed
    /// A sensor answers again after failures.
    case sensorRecovered
    /// A sensor failed too often in a row; its domain pauses until the longest retry.
    case sensorQuiet
    /// A command has the sensor and its lines; nothing is sensed meanwhile.
    case sensorLent
    /// That command has given them back, or has ended.
    case sensorReturned
    /// The file of calibrations cannot be used, so samples are not corrected.
    case calibrationUnusable
    /// A window could not be taken completely; the message says why.
    case windowLost
    /// The kernel dropped edges.
    case pulsesLost
    /// A GPIO line works again.
    case lineRecovered
    /// A GPIO line cannot be used.
    case lineFailed

    /// The folder for the phone's reports cannot be used; it will be retried.
    case inboxFailed
    /// The folder for the phone's reports works again.
    case inboxRecovered
    /// Files in it are not reports, or are from an impossible day; the message says why.
    case reportsRefused
    /// gpsd cannot be used; it will be retried.
    case positionsFailed
    /// gpsd works again.
    case positionsRecovered
    /// A chip that is measured with each window failed, and is tried again.
    case gaugeFailed
    /// It measures again.
    case gaugeRecovered

    // Judgement
    /// The duty cycle changed from attentive to relaxed or back.
    case dutyCycleChanged
    /// A long stretch of sitting was reported.
    case sedentaryLong
    /// An event without an entry of its own was queued for the server.
    case eventRaised
    /// A day's record is complete.
    case dayClosed

    // Alarm
    /// An alarm was played.
    case alarmPlayed
    /// An alarm was not played at its time, or not to its end.
    case alarmMissed
    /// A server's answer held a nudge.
    case nudgeReceived
    /// The outcome of a nudge.
    case nudgeSettled

    // Time
    /// From now on the date is known.
    case timeTrusted
    /// The clock by which data is dated was set.
    case clockStepped
    /// Data came too late for the record of its day.
    case dataLate
    /// Data will never have a date.
    case dataUndated

    // Consent
    /// A domain was turned on or off.
    case toggleChanged
    /// The effect of a domain's permission has changed, by an answer, the config or the hardware.
    case permissionChanged
    /// All stored data of a domain is deleted.
    case dataForgotten
    /// The consent trail was changed from outside; the message names the entries.
    case trailBroken

    // Store
    /// The state of the last run cannot be read; the day starts again.
    case stateUnreadable
    /// A damaged store was moved aside and a new one begun.
    case storeDamaged
    /// Nothing can be stored for now, as on a full disk; sensing continues.
    case storeFailed
    /// Storing works again.
    case storeRecovered
    /// The store's key is missing, exposed or wrong.
    case keyUnusable

    // Delivery
    /// A request is about to be sent.
    case uploadAttempted
    /// The server acknowledged a record or an event.
    case uploadDelivered
    /// An attempt failed and will be repeated.
    case uploadFailed
    /// The server permanently refused a record.
    case uploadSetAside
    /// Nothing is sent until the owner signs in.
    case uploadPaused
    /// Data was too old to be delivered.
    case uploadDropped
    /// Data was not sent, because the wearer turned its domain off before.
    case uploadWithheld
    /// The server offers no erasure.
    case erasureNotOffered
    /// A broker was told which figures are allowed now.
    case consentAnnounced
    /// A run ended at its deadline with data still queued.
    case uploadIncomplete
}
