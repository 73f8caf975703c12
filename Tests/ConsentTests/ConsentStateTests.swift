import Testing

@testable import Domains
import LaterVersion

/// The transition table in the documentation of `ConsentState`, row by row.
struct ConsentStateTests {
    private func state(after events: ConsentEvent...) -> ConsentState {
        var state = ConsentState()
        for event in events { _ = state.handle(event) }
        return state
    }

    /// A state in which motion has the status.
    private func motion(_ status: PermissionStatus) -> ConsentState {
        switch status {
        case .notDetermined, .unknown: state()
        case .authorized: state(after: .reply(.motion, .agreedWholly(to: .motion)), .turn(.motion, on: false))
        case .limited: state()
        case .denied: state(after: .decide(.motion, .declined))
        case .restricted: state(after: .forbidden(DomainSet(.motion)))
        case .unsupported: state(after: .found(.motion, .absent))
        }
    }

    @Test func everythingIsOffAndNobodyWasAsked() {
        let state = ConsentState()
        #expect(state.toggles == [])
        for domain in Domain.all { #expect(state.status(of: domain.later) == .notDetermined) }
    }

    @Test func turningOnAsksOnlyWhoWasNeverAsked() {
        var state = motion(.notDetermined)
        #expect(state.handle(.turn(.motion, on: true)) == [.ask(.motion, for: .motion)])
        #expect(!state.toggles.allows(.motion))
        #expect(
            state.handle(.reply(.motion, .agreedWholly(to: .motion))) == [
                .record(.answer(.motion, from: .notAsked, to: .agreedWholly(to: .motion)), by: .wearer),
                .record(.toggle(.motion, from: false, to: true), by: .wearer),
            ])
        #expect(state.toggles == DomainSet(.motion))
        #expect(state.handle(.turn(.motion, on: true)) == [])
    }

    @Test(arguments: [PermissionStatus.denied, .restricted, .unsupported])
    func turningOnWhatCannotBeIsExplainedAndStaysOff(status: PermissionStatus) {
        var state = motion(status)
        #expect(state.status(of: .motion) == status)
        #expect(state.handle(.turn(.motion, on: true)) == [.explain(.motion, status)])
        #expect(state.toggles == [])
    }

    @Test func aRefusalIsRememberedAndNotAskedAgain() {
        var state = ConsentState()
        _ = state.handle(.turn(.steps, on: true))
        #expect(
            state.handle(.reply(.steps, .declined)) == [
                .record(.answer(.health, from: .notAsked, to: .declined), by: .wearer)
            ])
        #expect(state.handle(.turn(.steps, on: true)) == [.explain(.steps, .denied)])
    }

    @Test func aQuestionLeftOpenChangesNothing() {
        var state = ConsentState()
        _ = state.handle(.turn(.steps, on: true))
        #expect(state.handle(.reply(.steps, .notAsked)) == [])
        #expect(state == ConsentState())
    }

    @Test func aReplyThatComesTooLateDoesNotOverrideWhatHoldsNow() {
        var state = motion(.denied)
        #expect(state.handle(.reply(.motion, .agreedWholly(to: .motion))) == [.explain(.motion, .denied)])
        state = motion(.restricted)
        #expect(state.handle(.reply(.motion, .agreedWholly(to: .motion))) == [.explain(.motion, .restricted)])
    }

    @Test func aNoIsANoWheneverItComes() {
        var state = state(after: .reply(.motion, .agreedWholly(to: .motion)))
        #expect(
            state.handle(.reply(.motion, .declined)) == [
                .record(.answer(.motion, from: .agreedWholly(to: .motion), to: .declined), by: .wearer),
                .record(.toggle(.motion, from: true, to: false), by: .wearer),
            ], "agreed to elsewhere while the question stood here")
        state = motion(.restricted)
        _ = state.handle(.reply(.motion, .declined))
        #expect(state.answer(to: .motion) == .declined)
        #expect(state.status(of: .motion) == .restricted)
    }

    @Test func stepsAndSleepShareOneQuestion() {
        var state = ConsentState()
        _ = state.handle(.reply(.steps, Self.allOfHealth))
        #expect(state.status(of: .steps) == .authorized)
        #expect(
            state.handle(.turn(.sleep, on: true)) == [
                .record(.toggle(.sleep, from: false, to: true), by: .wearer)
            ])
    }

    @Test func agreementToStepsAloneLeavesSleepDenied() {
        var state = ConsentState()
        _ = state.handle(.reply(.steps, Self.stepsOfAll))
        #expect(state.toggles == DomainSet(.steps))
        #expect(state.status(of: .sleep) == .denied)
        #expect(state.handle(.turn(.sleep, on: true)) == [.explain(.sleep, .denied)])
    }

    /// Wholly is all that was offered and is still collected.
    @Test func agreementToLessThanIsCollectedIsLimited() {
        #expect(Self.stepsOfAll.status(of: .steps, offering: [.steps, .sleep]) == .limited)
        #expect(Self.stepsOfAll.status(of: .steps, offering: .steps) == .authorized)
        #expect(Self.allOfHealth.status(of: .steps, offering: .steps) == .authorized)
        #expect(Answer.agreed(.steps, offered: .steps).status(of: .steps, offering: [.steps, .sleep]) == .authorized)
        #expect(state(after: .reply(.steps, Self.stepsOfAll)).status(of: .steps) == .limited)
        #expect(agreedBefore().status(of: .steps) == .authorized, "to all that was offered")
    }

    /// The answers to a question about steps and sleep.
    private static let allOfHealth = Answer.agreed(
        Permission.health.offeredScope, offered: Permission.health.offeredScope)
    private static let stepsOfAll = Answer.agreed(.steps, offered: Permission.health.offeredScope)

    @Test func aScopeIsWidenedAndNarrowedUnderAToggleThatStays() {
        let (events, both) = (Scope.placeEvents, Scope([.placeEvents, .coordinates]))
        var state = state(after: .reply(.location, .agreed(events, offered: both)))
        for reply in [Answer.declined, .notAsked, .agreedWholly(to: .motion)] {
            #expect(state.handle(.widen(.location, reply)) == [], "the earlier agreement stays")
        }
        #expect(
            state.handle(.widen(.location, .agreed(both, offered: both))) == [
                .record(
                    .answer(.location, from: .agreed(events, offered: both), to: .agreed(both, offered: both)),
                    by: .wearer)
            ])
        #expect(state.status(of: .location) == .authorized)
        #expect(
            state.handle(.narrow(.location)) == [
                .record(
                    .answer(.location, from: .agreed(both, offered: both), to: .agreed(events, offered: both)),
                    by: .wearer)
            ])
        #expect(state.handle(.narrow(.location)) == [])
        #expect(state.status(of: .location) == .limited && state.toggles == DomainSet(.location))
    }

    @Test func sleepIsAddedToStepsWithoutLosingThem() {
        var state = state(after: .reply(.steps, Self.stepsOfAll))
        _ = state.handle(.widen(.sleep, .agreed(.sleep, offered: .sleep)))
        #expect(
            state.answer(to: .health) == .agreed([.steps, .sleep], offered: Permission.health.offeredScope))
        #expect(state.toggles == DomainSet(.steps) && state.status(of: .sleep) == .limited)
        #expect(state.handle(.narrow(.sleep)) == [], "it has no parts")
    }

    @Test(arguments: [PermissionStatus.notDetermined, .denied, .restricted, .unsupported])
    func withoutAgreementNothingIsWidenedOrNarrowed(status: PermissionStatus) {
        var state = motion(status)
        #expect(state.handle(.widen(.motion, .agreedWholly(to: .motion))) == [])
        #expect(state.handle(.narrow(.motion)) == [])
    }

    @Test func whatIsInTheWayIsNotWidenedAndStillNarrowed() {
        let both = Scope([.placeEvents, .coordinates])
        for event in [ConsentEvent.found(.location, .absent), .forbidden(DomainSet(.location))] {
            var state = state(after: .reply(.location, .agreed(both)), event)
            #expect(state.handle(.narrow(.location)).count == 1)
            #expect(state.handle(.widen(.location, .agreed(both))) == [])
        }
    }

    @Test func aWithdrawalTurnsOffEveryToggleThatNeededIt() {
        var state = state(after: .reply(.steps, Self.allOfHealth), .turn(.sleep, on: true))
        _ = state.handle(.reply(.motion, .agreedWholly(to: .motion)))
        let effects = state.handle(.decide(.health, .declined))
        #expect(
            effects == [
                .record(.answer(.health, from: Self.allOfHealth, to: .declined), by: .wearer),
                .record(.toggle(.steps, from: true, to: false), by: .wearer),
                .record(.toggle(.sleep, from: true, to: false), by: .wearer),
            ])
        #expect(state.toggles == DomainSet(.motion))
    }

    @Test func aNarrowedScopeTurnsOffOnlyWhatItNoLongerHolds() {
        var state = state(after: .reply(.steps, Self.allOfHealth), .turn(.sleep, on: true))
        _ = state.handle(.decide(.health, .agreed(.sleep)))
        #expect(state.toggles == DomainSet(.sleep))
    }

    @Test func afterAResetTheWearerMayBeAskedOnceMore() {
        var state = motion(.denied)
        _ = state.handle(.decide(.motion, .notAsked))
        #expect(state.handle(.turn(.motion, on: true)) == [.ask(.motion, for: .motion)])
    }

    @Test func aDeviceThatTheKernelRefusesTurnsItsDomainOff() {
        var state = state(after: .reply(.motion, .agreedWholly(to: .motion)), .reply(.steps, .agreed(.steps)))
        #expect(
            state.handle(.found(.motion, .refused)) == [
                .record(.obstacle(.motion, from: nil, to: .refused), by: .kernel),
                .record(.toggle(.motion, from: true, to: false), by: .kernel),
            ])
        #expect(state.status(of: .motion) == .denied)
        #expect(state.toggles == DomainSet(.steps))
        #expect(state.handle(.found(.motion, .refused)) == [], "the same again is no change")
        _ = state.handle(.found(.motion, nil))
        #expect(state.status(of: .motion) == .authorized)
        #expect(!state.toggles.allows(.motion), "only the wearer turns anything on")
    }

    @Test func anAbsentDeviceSuspendsItsDomainUntilItIsBack() {
        var state = state(after: .reply(.motion, .agreedWholly(to: .motion)), .reply(.steps, .agreed(.steps)))
        #expect(
            state.handle(.found(.motion, .absent)) == [
                .record(.obstacle(.motion, from: nil, to: .absent), by: .kernel)
            ])
        #expect(state.status(of: .motion) == .unsupported)
        #expect(state.suspended == DomainSet(.motion))
        #expect(state.toggles == [.motion, .steps])
        #expect(state.handle(.found(.motion, .absent)) == [], "the same again is no change")
        _ = state.handle(.found(.motion, nil))
        #expect(state.status(of: .motion) == .authorized)
        #expect(state.suspended == [] && state.toggles.allows(.motion))
    }

    @Test(arguments: [
        ConsentEvent.turn(.motion, on: false), .decide(.motion, .declined), .decide(.motion, .notAsked),
        .forbidden(DomainSet(.motion)), .found(.motion, .refused),
    ])
    func aDecisionEndsASuspendedDomain(decision: ConsentEvent) {
        var state = state(after: .reply(.motion, .agreedWholly(to: .motion)))
        _ = state.handle(.found(.motion, .absent))
        _ = state.handle(decision)
        #expect(!state.toggles.allows(.motion) && state.suspended == [])
        _ = state.handle(.forbidden([]))
        _ = state.handle(.found(.motion, nil))
        #expect(!state.toggles.allows(.motion), "only the wearer turns anything on")
    }

    @Test func whatTheAdministratorForbidsStaysForbiddenWhateverTheHardwareSays() {
        var state = state(after: .reply(.motion, .agreedWholly(to: .motion)))
        #expect(
            state.handle(.forbidden(DomainSet(.motion))) == [
                .record(.obstacle(.motion, from: nil, to: .forbidden), by: .administrator),
                .record(.toggle(.motion, from: true, to: false), by: .administrator),
            ])
        #expect(state.handle(.found(.motion, .absent)) == [])
        #expect(state.handle(.found(.motion, nil)) == [])
        _ = state.handle(.forbidden([]))
        #expect(state.status(of: .motion) == .authorized)
    }

    @Test func theAdministratorAnswersOnlyWhereNobodyDid() {
        var state = motion(.denied)
        #expect(
            state.handle(.granted([.motion, .health])) == [
                .record(.answer(.health, from: .notAsked, to: Self.allOfHealth), by: .administrator)
            ], "to all that is collected, and to no more")
        #expect(state.toggles == [], "an answer turns nothing on")
        #expect(state.answeredBy(.health) == .administrator)
        _ = state.handle(.turn(.steps, on: true))
        _ = state.handle(.granted([]))
        #expect(state.status(of: .steps) == .notDetermined)
        #expect(state.toggles == [])
        #expect(state.status(of: .motion) == .denied)
    }

    @Test func whatTheWearerAgreedToOutlivesTheConfig() {
        var state = state(after: .reply(.motion, .agreedWholly(to: .motion)))
        _ = state.handle(.granted([.motion]))
        #expect(state.handle(.granted([])) == [])
        #expect(state.toggles == DomainSet(.motion))
    }

    @Test func forgettingIsRecordedAndChangesNoToggle() {
        var state = state(after: .reply(.steps, .agreed(.steps)))
        #expect(state.handle(.forget(.steps)) == [.record(.forgotten(.steps), by: .wearer)])
        #expect(state.toggles == DomainSet(.steps))
    }

    @Test(arguments: [Scope(), .steps, [.motion, .steps]])
    func agreementToNothingOrToSomethingElseIsNoAnswer(scope: Scope) {
        var state = ConsentState()
        #expect(state.handle(.reply(.motion, .agreed(scope))) == [], "and nothing is asked again")
        #expect(state.handle(.decide(.motion, .agreed(scope))) == [])
        #expect(state == ConsentState())
    }

    @Test func everyAnswerSurvivesItsCode() {
        for offered in [0, 1, 6, 255, 1 << 40 | 3] as [UInt64] {
            for code in (0...255 as ClosedRange<UInt64>) + [1 << 40, 1 << 63, .max] {
                guard let answer = Answer(code: code, offered: Scope(rawValue: offered)) else {
                    #expect(code & ~offered != 0, "only agreement to more than was offered is none")
                    continue
                }
                #expect(answer.code == code)
                if case .agreed = answer { #expect(answer.offered.rawValue == offered) }
            }
        }
    }

    // MARK: - A domain that this version does not collect

    @Test(arguments: Domain.afterSleep)
    func whatIsNotCollectedIsUnsupportedAndNotAskedAbout(domain: Domain) {
        var state = ConsentState()
        #expect(state.status(of: domain) == .unsupported)
        #expect(state.handle(.turn(domain, on: true)) == [.explain(domain, .unsupported)])
        let whole = domain.permission.wholeScope
        #expect(state.handle(.reply(domain, .agreed(whole, offered: whole))) == [.explain(domain, .unsupported)])
        #expect(state == ConsentState(), "and nothing of it is stored")
        _ = state.handle(.found(domain, .refused))
        #expect(state.status(of: domain) == .unsupported, "whatever the hardware is")
        _ = state.handle(.forbidden(DomainSet(domain)))
        #expect(state.status(of: domain) == .restricted)
    }

    @Test func whatALaterVersionTurnedOnStaysAndIsNotCollected() {
        let answer = Answer.agreed(.screenTime, offered: .screenTime)
        var state = state(after: .reply(.steps, Self.allOfHealth), .reply(.screenTime.later, answer))
        #expect(
            state.status(of: .screenTime.later) == .authorized && state.status(of: .screenTime.earlier) == .unsupported)
        _ = state.handle(.found(.screenTime.later, .absent))
        #expect(state.isSuspended(.screenTime.later), "as the later version has it")
        #expect(!state.isSuspended(.screenTime.earlier))
        #expect(state.toggles == [.steps, .screenTime])
        _ = state.handle(.turn(.screenTime.earlier, on: false))
        #expect(state.toggles == DomainSet(.steps), "the wearer can turn it off here too")
        #expect(state.answer(to: .screenTime) == answer)
    }

    /// Of two domains under one permission.
    @Test func whatIsNotCollectedTakesNothingFromWhatSharesItsPermission() {
        var state = state(after: .reply(.steps, Self.allOfHealth), .turn(.sleep, on: true))
        _ = state.handle(.found(.sleep, .absent))
        #expect(state.status(of: .sleep.earlier) == .unsupported && !state.isSuspended(.sleep.earlier))
        #expect(state.status(of: .steps) == .authorized)
        _ = state.handle(.turn(.sleep.earlier, on: false))
        #expect(state.toggles == DomainSet(.steps) && state.answer(to: .health) == Self.allOfHealth)
        #expect(state.handle(.turn(.sleep.earlier, on: true)) == [.explain(.sleep, .unsupported)])
    }

    @Test func whatIsNotCollectedIsNeitherOfferedNorGranted() {
        for domain in Domain.all {
            #expect(domain.permission.offeredScope.isSuperset(of: domain.wholeScope) == domain.isCollected)
        }
        for permission in Permission.all {
            var state = ConsentState()
            let effects = state.handle(.granted([permission]))
            #expect(effects.isEmpty == permission.collectedDomains.isEmpty)
            #expect(state.answer(to: permission).offered == permission.offeredScope)
        }
    }

    // MARK: - An earlier version collected less

    /// The state that the version before leaves, which collected steps alone.
    private func agreedBefore() -> ConsentState { state(after: .reply(.steps, .agreed(.steps, offered: .steps))) }

    @Test func whatWasNotOfferedIsAskedForAnewAndTheRestGoesOn() {
        var state = agreedBefore()
        #expect(state.status(of: .steps) == .authorized && state.toggles.allows(.steps))
        #expect(state.status(of: .sleep) == .notDetermined)
        #expect(state.handle(.turn(.sleep, on: true)) == [.ask(.health, for: .sleep)])
        _ = state.handle(.reply(.sleep, .agreed([.sleep, .walks], offered: Permission.health.offeredScope)))
        #expect(state.toggles.allows(.sleep) && state.toggles.allows(.steps))
        #expect(state.answer(to: .health) == Self.allOfHealth, "the earlier agreement stands")
        #expect(state.status(of: .steps) == .authorized && state.status(of: .sleep) == .authorized)
    }

    @Test func aNoToTheNewLeavesTheOld() {
        var state = agreedBefore()
        _ = state.handle(.reply(.sleep, .declined))
        #expect(state.answer(to: .health) == Self.stepsOfAll)
        #expect(state.status(of: .sleep) == .denied && state.status(of: .steps) == .limited)
        #expect(state.toggles == DomainSet(.steps), "which goes on")
        #expect(
            state.handle(.turn(.sleep, on: true)) == [.explain(.sleep, .denied)], "and is not asked again")
    }

    @Test func theNewQuestionLeftOpenMayBeAskedAgain() {
        var state = agreedBefore()
        let before = state
        #expect(state.handle(.reply(.sleep, .notAsked)) == [] && state == before)
        #expect(state.handle(.turn(.sleep, on: true)) == [.ask(.health, for: .sleep)])
    }

    @Test func aWithdrawalConcernsWhatWasNotOfferedToo() {
        var state = agreedBefore()
        _ = state.handle(.decide(.health, .declined))
        #expect(state.status(of: .sleep) == .denied && !state.toggles.allows(.steps))
    }

    @Test func theConfigGrantsWhatALaterVersionCollects() {
        for actor in [ConsentActor.administrator, .wearer] {
            var state = ConsentState()
            state.apply(.answer(.health, from: .notAsked, to: .agreed(.steps, offered: .steps)), by: actor)
            _ = state.handle(.turn(.steps, on: true))
            #expect(state.status(of: .sleep) == .notDetermined)
            let effects = state.handle(.granted([.health]))
            #expect(effects.isEmpty == (actor == .wearer), "not where the wearer answered")
            #expect(state.status(of: .sleep) == (actor == .administrator ? .authorized : .notDetermined))
            #expect(state.toggles == DomainSet(.steps), "a grant turns nothing on or off")
        }
    }

    @Test func aScopeOfAnotherVersionChangesNothingForTheOthers() {
        let newer = Scope(id: 40)
        var state = ConsentState()
        let answer = Answer.agreed([.steps, .sleep, newer], offered: [.steps, .sleep, newer])
        state.apply(.answer(.health, from: .notAsked, to: answer), by: ConsentActor(rawValue: 99))
        #expect(state.status(of: .steps) == .authorized && state.status(of: .sleep) == .authorized)
        #expect(state.answer(to: .health) == answer)
    }
}
