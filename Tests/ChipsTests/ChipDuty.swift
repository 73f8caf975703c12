import Testing

/// What every driver must do, with the name of the function that shows it.
struct ChipDuty: Sendable, CustomTestStringConvertible {
    let testDescription: String
    private let show: @Sendable (ChipConformance) -> () throws -> Void

    private init(_ name: String, _ show: @escaping @Sendable (ChipConformance) -> () throws -> Void) {
        testDescription = name
        self.show = show
    }

    func isDone(by kind: ChipConformance) throws { try show(kind)() }

    static let all: [ChipDuty] = [
        ChipDuty(
            "aStrangerIsRefusedBeforeAnythingIsWritten", ChipConformance.aStrangerIsRefusedBeforeAnythingIsWritten),
        ChipDuty("theSearchFindsItAndWritesNothing", ChipConformance.theSearchFindsItAndWritesNothing),
        ChipDuty(
            "everyRangeGivesTheSameAccelerationAndSaturatesAtItsEnd",
            ChipConformance.everyRangeGivesTheSameAccelerationAndSaturatesAtItsEnd),
        ChipDuty(
            "samplesFollowOneAnotherWhateverTheAdapterCanMoveAtOnce",
            ChipConformance.samplesFollowOneAnotherWhateverTheAdapterCanMoveAtOnce),
        ChipDuty("anyNumberCanBeDrainedAtAnyTime", ChipConformance.anyNumberCanBeDrainedAtAnyTime),
        ChipDuty("everyWaitGivesRightSamplesOrAnOverrun", ChipConformance.everyWaitGivesRightSamplesOrAnOverrun),
        ChipDuty("anAbandonedWindowLeavesNothingInTheNext", ChipConformance.anAbandonedWindowLeavesNothingInTheNext),
        ChipDuty(
            "movementRaisesTheInterruptOnceAndTheNextWindowClearsIt",
            ChipConformance.movementRaisesTheInterruptOnceAndTheNextWindowClearsIt),
        ChipDuty("stillnessInAnyPostureRaisesNothing", ChipConformance.stillnessInAnyPostureRaisesNothing),
        ChipDuty("theThresholdDecidesWhatIsMovement", ChipConformance.theThresholdDecidesWhatIsMovement),
        ChipDuty("withoutWakeOnMotionItIsOff", ChipConformance.withoutWakeOnMotionItIsOff),
        ChipDuty("theChipIsOnForTheWindowAlone", ChipConformance.theChipIsOnForTheWindowAlone),
        ChipDuty("sleepTurnsItOffFromAnyState", ChipConformance.sleepTurnsItOffFromAnyState),
        ChipDuty("whateverWasSetBeforeIsOverridden", ChipConformance.whateverWasSetBeforeIsOverridden),
        ChipDuty(
            "aTransferThatFailsAnywhereCostsNoMoreThanItsWindow",
            ChipConformance.aTransferThatFailsAnywhereCostsNoMoreThanItsWindow),
        ChipDuty("noInterferenceYieldsWrongNumbers", ChipConformance.noInterferenceYieldsWrongNumbers),
        ChipDuty("aDipWithinADrainYieldsNoZeros", ChipConformance.aDipWithinADrainYieldsNoZeros),
        ChipDuty("anotherChipIsNotPutToRestEither", ChipConformance.anotherChipIsNotPutToRestEither),
        ChipDuty("aStuckBusIsUsableAgainAfterItsRecovery", ChipConformance.aStuckBusIsUsableAgainAfterItsRecovery),
        ChipDuty("aDipOfTheSupplyIsNoticed", ChipConformance.aDipOfTheSupplyIsNoticed),
        ChipDuty("anotherChipInItsPlaceIsNotWrittenTo", ChipConformance.anotherChipInItsPlaceIsNotWrittenTo),
        ChipDuty(
            "theThermometerFollowsAndItsFailureCostsNoSamples",
            ChipConformance.theThermometerFollowsAndItsFailureCostsNoSamples),
        ChipDuty("theSlowRateIsSlower", ChipConformance.theSlowRateIsSlower),
        ChipDuty("eitherRateBeginsFromAnyState", ChipConformance.eitherRateBeginsFromAnyState),
        ChipDuty("restAndSleepEndTheSlowFilling", ChipConformance.restAndSleepEndTheSlowFilling),
        ChipDuty("movementWakesItAfterASlowTime", ChipConformance.movementWakesItAfterASlowTime),
        ChipDuty("aChipWithoutACounterIsUntouched", ChipConformance.aChipWithoutACounterIsUntouched),
        ChipDuty("stepsAreCountedWheneverItIsNotAsleep", ChipConformance.stepsAreCountedWheneverItIsNotAsleep),
        ChipDuty("withTheCounterSamplesAreTheSame", ChipConformance.withTheCounterSamplesAreTheSame),
        ChipDuty("aFaultInAReadingCostsNoSamples", ChipConformance.aFaultInAReadingCostsNoSamples),
        ChipDuty("withTheCounterAFaultAnywherePasses", ChipConformance.withTheCounterAFaultAnywherePasses),
    ]
}
