import Core
import Signal
import Testing

@Suite struct GaitEvidenceTests {
    private func belief(_ activity: Activity, _ probability: Float = 0.96) -> ActivityProbabilities {
        ActivityProbabilities { $0 == activity ? probability : (1 - probability) / 4 }
    }

    @Test func stepsStandWhereWalkingOrRunningIsSeen() {
        for activity in [Activity.walking, .running] {
            var evidence = GaitEvidence()
            #expect(evidence.judge(belief(activity), alone: .even, sawSteps: true) == .credit)
            #expect(evidence.isWalking)
        }
    }

    @Test func walkingAndRunningTogetherAreEnough() {
        var evidence = GaitEvidence()
        let torn = ActivityProbabilities { [.walking: 0.5, .running: 0.45, .unknown: 0.05][$0] ?? 0 }
        #expect(evidence.judge(torn, alone: .even, sawSteps: true) == .credit)
    }

    @Test func stepsThatNoWindowBearsOutWaitForThreeAndAreThenDropped() {
        var evidence = GaitEvidence()
        let rulings = (0..<5).map { _ in evidence.judge(belief(.unknown), alone: .even, sawSteps: true) }
        #expect(rulings == [.wait, .wait, .wait, .drop, .drop])
    }

    @Test func stepsThatWaitAreDroppedWhenTheyEnd() {
        var evidence = GaitEvidence()
        #expect(evidence.judge(belief(.unknown), alone: .even, sawSteps: true) == .wait)
        #expect(evidence.judge(belief(.unknown), alone: .even, sawSteps: false) == .drop)
        #expect(evidence.judge(belief(.unknown), alone: .even, sawSteps: false) == .credit)
    }

    @Test func aFewStepsBeforeARestStand() {
        var evidence = GaitEvidence()
        #expect(evidence.judge(belief(.stationary), alone: .even, sawSteps: true) == .credit)
        #expect(evidence.judge(belief(.unknown), alone: .even, sawSteps: true) == .wait)
        #expect(evidence.judge(belief(.stationary), alone: .even, sawSteps: true) == .credit)
        #expect(!evidence.isWalking)
    }

    @Test func aWindowThatShowsSomethingElseIsNoRest() {
        for (activity, ruling) in [
            (Activity.stationary, GaitEvidence.Ruling.credit), (.unknown, .wait), (.automotive, .wait),
        ] {
            var evidence = GaitEvidence()
            #expect(evidence.judge(belief(.stationary), alone: belief(activity, 0.5), sawSteps: true) == ruling)
        }
    }

    @Test func whoRestsInAVehicleDoesNotWalk() {
        var evidence = GaitEvidence()
        _ = evidence.judge(belief(.automotive), alone: .even, sawSteps: false)
        #expect(evidence.judge(belief(.stationary), alone: .even, sawSteps: true) == .wait)
        #expect(evidence.judge(belief(.stationary), alone: .even, sawSteps: false) == .drop)
    }

    @Test func walkingOnceRecognisedHoldsUntilItIsClearlyRuledOut() {
        var evidence = GaitEvidence()
        _ = evidence.judge(belief(.walking), alone: .even, sawSteps: true)
        #expect(evidence.judge(belief(.unknown, 0.7), alone: .even, sawSteps: true) == .credit)
        #expect(evidence.judge(belief(.unknown, 0.95), alone: .even, sawSteps: true) == .wait)
        #expect(evidence.judge(belief(.unknown, 0.7), alone: .even, sawSteps: true) == .wait)
    }

    @Test func oneClearWindowIsEnoughForAShortWalk() {
        for (clear, ruling) in [(Float(0.95), GaitEvidence.Ruling.credit), (0.8, .wait)] {
            var evidence = GaitEvidence()
            let alone = belief(.walking, clear)
            #expect(evidence.judge(belief(.unknown), alone: alone, sawSteps: true) == ruling)
            #expect(evidence.judge(belief(.unknown), alone: .even, sawSteps: true) == .wait)
        }
    }

    @Test(arguments: [Activity.stationary, .unknown])
    func stepsBetweenTwoWindowsStandWhateverTheWearerDidAtTheirTime(activity: Activity) {
        var evidence = GaitEvidence()
        #expect(evidence.judge(belief(activity), alone: .even, sawSteps: false) == .credit)
        #expect(evidence.judge(belief(activity), alone: .even, sawSteps: false) == .credit)
    }

    @Test func stepsBetweenTwoWindowsInAVehicleAreDropped() {
        var evidence = GaitEvidence()
        #expect(evidence.judge(belief(.automotive), alone: .even, sawSteps: false) == .credit, "walked to the car")
        #expect(evidence.judge(belief(.automotive), alone: .even, sawSteps: false) == .drop)
        #expect(evidence.judge(belief(.stationary), alone: .even, sawSteps: false) == .drop, "at the lights")
        #expect(evidence.judge(belief(.unknown), alone: .even, sawSteps: false) == .drop)
    }

    @Test func whoWalksHasLeftTheVehicle() {
        var evidence = GaitEvidence()
        _ = evidence.judge(belief(.automotive), alone: .even, sawSteps: false)
        #expect(evidence.judge(belief(.walking, 0.8), alone: belief(.walking), sawSteps: true) == .wait, "or steers")
        #expect(evidence.judge(belief(.walking), alone: .even, sawSteps: true) == .credit)
        #expect(evidence.judge(belief(.stationary, 0.99), alone: .even, sawSteps: false) == .credit)
    }

    @Test func outlivesARestart() throws {
        for windows in 0..<4 {
            for activity in [Activity.automotive, .walking] {
                var before = GaitEvidence()
                _ = before.judge(belief(activity), alone: .even, sawSteps: false)
                for _ in 0..<windows { _ = before.judge(belief(.unknown), alone: .even, sawSteps: true) }
                var packer = Packer()
                before.pack(into: &packer)
                var after = GaitEvidence()
                var unpacker = Unpacker(packer.bytes)
                try after.unpack(from: &unpacker)
                #expect(after == before)
            }
        }
    }
}
