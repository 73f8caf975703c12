import Config
import Domains
import LaterVersion
import Store
import Testing

@testable import anicca

/// The text of the question that the wearer reads before answering.
@Suite struct ConsentQuestionTests {
    @Test(arguments: Permission.all)
    func namesEveryFieldAndEventThatLeavesTheDevice(permission: Permission) {
        let sent = row("Sent", before: "Kept", of: permission)
        for type in Figure.all {
            #expect(sent.contains("(\(type))") == (type.domain.permission == permission && type.isSent), "\(type)")
        }
        for kind in EventKind.all {
            let isSent = kind.domain.permission == permission
            #expect(sent.contains("(\(kind))") == isSent, "\(kind)")
            for member in [kind.member?.key] where isSent && member != nil {
                #expect(sent.contains("(\(member ?? ""))"), "\(kind)")
            }
        }
        #expect(
            sent.contains("no raw samples, coordinates or app names")
                == permission.domains.contains { !$0.events.isEmpty })
        #expect(sent.contains("nothing leaves the device") == (permission == .alarm))
    }

    @Test func saysThatThePhonesMinutesOfSittingAreSentWithinAnotherFigure() {
        let sent = row("Sent", before: "Kept", of: .phone)
        #expect(sent.contains("within sedentaryMinutes, minutes of sitting that your phone reports"))
        #expect(!row("Sent", before: "Kept", of: .motion).contains("your phone"))
        let stays = "What sedentaryMinutes holds of it goes with anicca forget motion."
        #expect(text(.phone).contains(stays) && !text(.motion).contains(stays))
    }

    @Test func saysThatCoverageIsSentWhereItIs() {
        var settings = Settings()
        #expect(!text(.motion, settings).contains("(coverage)"))
        settings.extra = .coverage
        #expect(text(.motion, settings).contains("(coverage)"))
        #expect(!text(.location, settings).contains("(coverage)"))
    }

    @Test func saysThatQuartersAreSentWhereTheyAre() {
        var settings = Settings()
        settings.extra = .quarters
        #expect(!text(.motion, settings).contains("(quarters)"), "a broker gets none")
        settings.server.baseURL = "https://example.org"
        let question = text(.health, settings)
        #expect(question.contains("(coverage)") && question.contains("a name of this device (quarters)"))
        #expect(!text(.location, settings).contains("(quarters)"))
    }

    /// The books are those that can be written: `Book`.
    @Test(arguments: Permission.all) func namesAllThatIsStored(permission: Permission) {
        let kept = row("Kept", before: "Withdraw", of: permission)
        for type in Figure.all {
            #expect(kept.contains("(\(type))") == (type.isStored && type.domain.permission == permission), "\(type)")
        }
        for book in Book.all {
            #expect(kept.contains("(\(book.name))") == (book.domain.permission == permission), "\(book.name)")
        }
        #expect(kept.contains("the events with their times") == permission.domains.contains { !$0.events.isEmpty })
        #expect(kept.contains("Your answer stays in the trail"))
    }

    @Test(arguments: Permission.all)
    func saysHowTheAnswerIsTakenBack(permission: Permission) {
        let text = text(permission)
        #expect(text.contains("anicca permissions deny \(permission)"))
        for domain in permission.domains {
            #expect(text.contains("anicca toggle \(domain) off"))
            #expect(text.contains("anicca forget \(domain)"))
        }
        #expect(text.contains("The server is asked to erase") == (permission != .alarm))
    }

    @Test func speaksOfWhatIsCollectedAlone() {
        let before = Domain.beforeSleep.filter { $0.permission == .health && $0.isCollected }
        let question = question(.health, of: before)
        #expect(question.choices.map(\.answer) == [.agreed(.steps, offered: .steps), .declined])
        let text = question.lines.joined(separator: "\n")
        #expect(text.hasPrefix("Health: your steps.\n  Collected  the pulses of the step sensor"))
        #expect(text.contains("(steps)") && text.contains("anicca forget steps"))
        for word in ["sleep", "wakeAt", "when you woke", "This version"] { #expect(!text.contains(word)) }
    }

    @Test func offersStepsAndSleepOfHealthAlone() {
        let question = question(.health, of: Permission.health.collectedDomains)
        #expect(
            question.choices.map(\.answer)
                == [Self.health(Self.allOfHealth), Self.health(.steps), Self.health(.sleep), .declined])
        let text = text(.health)
        #expect(
            text.hasPrefix("Health: your steps, your sleep and your walks and runs.\n  Collected  for steps the pulses")
        )
        #expect(text.contains("; for sleep how the accelerometer lies and moves"))
        #expect(text.components(separatedBy: "no samples are kept").count == 2, "said once, of all")
        #expect(text.contains("minutes of sleep (sleepDurationMin)") && text.contains("when you woke (wakeAt)"))
    }

    @Test func askedAnewItSaysWhatStaysAndOffersTheRest() {
        var question = question(.health, of: [.steps, .sleep])
        #expect(question.lines[1] == "  Collected  for steps the pulses of the step sensor or, where none is wired,")
        question.agreed = .steps
        #expect(question.lines[0] == "Health: your steps and your sleep.")
        #expect(question.lines[1] == "You agreed to steps; that stays. This question is about sleep.")
        #expect(question.choices.map(\.answer) == [.agreed([.steps, .sleep], offered: [.steps, .sleep]), .declined])
        #expect(question.ask(in: ScriptedWearer("only steps", "only sleep", "n").prompt) == .declined)
    }

    @Test func saysForHowLongItIsKeptAndWhereItGoes() {
        var settings = Settings()
        settings.store.historyDays = 30
        settings.delivery.keepUndelivered = .hours(36)
        settings.server.baseURL = "https://example.org\u{1B}[2J"
        let text = text(.motion, settings)
        #expect(text.contains("for 30 days"))
        #expect(text.contains("for 36 hours"))
        #expect(text.contains("to https://example.org\\u{1B}[2J"))
        #expect(self.text(.motion).contains("for 7 days"))
        #expect(self.text(.motion).contains("no server is configured"))
    }

    @Test func whatCanBeAnswered() {
        #expect(answers(.motion, [.motion]) == [.agreedWholly(to: .motion), .agreed(.motion), .declined])
        #expect(answers(.health, [.steps]) == [Self.health(Self.allOfHealth), Self.health(.steps), .declined])
        #expect(answers(.health, [.walks]) == [Self.health(Self.allOfHealth), Self.health(.walks), .declined])
        #expect(
            answers(.health, [.steps, .sleep, .walks])
                == [Self.health(Self.allOfHealth), Self.health(.steps), Self.health(.sleep), .declined])
        let places: Scope = [.placeEvents, .coordinates]
        #expect(
            answers(.location, [.location])
                == [.agreed(places, offered: places), .agreed(.placeEvents, offered: places), .declined])
    }

    @Test(arguments: [
        ("y", health(allOfHealth)), ("only sleep", health(.sleep)), ("Only  Sleep", health(.sleep)),
        ("n", .declined), ("q", .notAsked), ("only steps\0", .notAsked), ("y n", .notAsked),
    ])
    func anAnswerIsWhatWasTypedAndNothingElse(typed: String, answer: Answer) {
        let question = question(.health, of: Permission.health.domains, alone: [.sleep])
        #expect(question.ask(in: ScriptedWearer(typed).prompt) == answer)
    }

    /// Consent is given by an act: no answer stands for Enter, so the question names no default.
    @Test func enterAloneIsNoAnswer() {
        let question = question(.motion, of: [.motion])
        let wearer = ScriptedWearer("", "", "")
        #expect(question.ask(in: wearer.prompt) == .notAsked)
        #expect(wearer.shown.contains("Do you agree? Type y (yes), n (no) or q (leave it open): "))
        for typed in ["y", "Y", "yes", "YES"] {
            #expect(question.ask(in: ScriptedWearer(typed).prompt) == .agreed(.motion, offered: .motion), "\(typed)")
        }
    }

    @Test func noLineIsWiderThanATerminal() {
        for permission in Permission.all {
            for line in question(permission).lines where line.count > 80 { Issue.record("\(line)") }
        }
    }

    private func row(_ name: String, before next: String, of permission: Permission) -> String {
        let text = text(permission)
        guard let start = text.range(of: "\n  \(name) "), let end = text.range(of: "\n  \(next) ") else { return "" }
        return String(text[start.upperBound..<end.lowerBound])
    }

    private func text(_ permission: Permission, _ settings: Settings = Settings()) -> String {
        question(permission, settings).lines.joined(separator: "\n")
            .replacingOccurrences(of: "\n             ", with: " ")
    }

    /// As a version asks it that collects every domain.
    private func question(_ permission: Permission, _ settings: Settings = Settings()) -> ConsentQuestion {
        question(permission, of: permission.domains.map(\.later), settings)
    }

    private func question(
        _ permission: Permission, of domains: [Domain], alone: [Domain]? = nil, _ settings: Settings = Settings()
    ) -> ConsentQuestion {
        ConsentQuestion(permission: permission, domains: domains, alone: alone ?? domains, settings: settings)
    }

    private func answers(_ permission: Permission, _ alone: [Domain]) -> [Answer] {
        question(permission, of: permission.domains.map(\.later), alone: alone).choices.map(\.answer)
    }

    private static let allOfHealth = Permission.health.offeredScope

    /// Agreement when all of it was offered.
    private static func health(_ scope: Scope) -> Answer { .agreed(scope, offered: allOfHealth) }
}
