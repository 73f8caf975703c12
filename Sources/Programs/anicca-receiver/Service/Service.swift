import Foundation

/// Answers requests in production: the endpoints of the contract, and two for the operator.
struct Service: Sendable {
    private let intake: Intake
    private let admission = Admission(tokens: .enrolled)
    private let signIn: SignInDesk?
    private let nudges: NudgeDesk?
    private let metrics: Metrics
    private let log: ServiceLog

    init(_ intake: Intake, signIn: SignInDesk?, nudges: NudgeDesk?, metrics: Metrics, log: ServiceLog) {
        self.intake = intake
        self.signIn = signIn
        self.nudges = nudges
        self.metrics = metrics
        self.log = log
    }

    @Sendable
    func answer(_ request: HTTPRequest) async -> HTTPResponse {
        guard let endpoint = Endpoint(rawValue: request.path) else {
            do throws(StoreFailure) {
                if let answer = try await signIn?.answer(request) { return answer }
            } catch {
                return storeFailed(error)
            }
            return await answerOperator(request)
        }
        guard request.method == "POST" else { return .postOnly }
        let began = Date.now
        let response = await receive(request, at: endpoint)
        let seconds = Date.now.timeIntervalSince(began)
        metrics.noteAnswer(at: endpoint, status: response.status, seconds: seconds)
        log.noteAnswer(at: endpoint, status: response.status, seconds: seconds)
        return response
    }

    private func answerOperator(_ request: HTTPRequest) async -> HTTPResponse {
        switch (request.method, request.path) {
        case ("GET", "/healthz"):
            do {
                try await intake.check()
                return .json(200, .object(["status": .string("ok")]))
            } catch {
                return .problem(503, error.description)
            }
        case ("GET", "/metrics"):
            return HTTPResponse(
                status: 200, headers: ["Content-Type": "text/plain; version=0.0.4"], body: Array(metrics.text.utf8))
        default: return .problem(404, "there is nothing at \(request.path)")
        }
    }

    private func receive(_ request: HTTPRequest, at endpoint: Endpoint) async -> HTTPResponse {
        do {
            let submission = try admission.submission(of: request, at: endpoint)
            let kept = try await intake.keep(submission)
            return .outcome(kept, nudge: await nudge(for: submission, kept)?.json)
        } catch let refusal as Admission.Refusal {
            return .problem(refusal.status, refusal.reason)
        } catch is Intake.Overloaded {
            return .problem(503, "too many requests wait for the store")
        } catch {
            return storeFailed(error as? StoreFailure ?? StoreFailure(.unavailable, "\(error)"))
        }
    }

    /// The event is stored already, so a failure here only costs the nudge.
    private func nudge(for submission: Submission, _ kept: Kept) async -> Nudge? {
        guard let nudges, case .event = submission.content, kept == .stored || kept == .known else { return nil }
        do {
            return try await nudges.nudge(for: submission, isNew: kept == .stored)
        } catch {
            log.noteFailure(error)
            return nil
        }
    }

    private func storeFailed(_ failure: StoreFailure) -> HTTPResponse {
        log.noteFailure(failure)
        // A value that the store rejects now will be rejected later too.
        return failure.kind == .badValue
            ? .problem(422, "the store cannot keep a value of this body")
            : .problem(503, "the store is not available")
    }
}
