import Foundation
import Loopback
import Quantities
import Schedule
import Sinks
import Testing

struct HTTPClientTests {
    let token = "a-token-that-nobody-may-see"

    func post(to address: String) throws -> HTTPClient.Answer {
        let secret = try #require(AccessToken(fileContent: Array(token.utf8)))
        let client = try HTTPClient(ServiceAddress(address), token: secret, userAgent: "anicca-upload/test")
        return client.post(
            "/nudge/trigger", json: Array(#"{"a":1}"#.utf8), idempotencyKey: "key-1", timeout: .seconds(30))
    }

    func post(answeredBy answer: String) throws -> HTTPClient.Answer {
        let server = try AnsweringServer(Array(answer.utf8))
        return try withExtendedLifetime(server) { try post(to: server.address) }
    }

    @Test func aRequestCarriesItsKeyTheTokenAndJSON() throws {
        let server = try AnsweringServer(Array("HTTP/1.1 204 No Content\r\n\r\n".utf8))
        #expect(try post(to: server.address + "/v1").reply == .status(204, retryAfter: nil))
        let lines = server.request().components(separatedBy: "\r\n")
        #expect(lines.first == "POST /v1/nudge/trigger HTTP/1.1")
        #expect(lines.contains("Idempotency-Key: key-1"))
        #expect(lines.contains("Authorization: Bearer \(token)"))
        #expect(lines.contains("Content-Type: application/json"))
        #expect(lines.contains("User-Agent: anicca-upload/test"))
        #expect(lines.last == #"{"a":1}"#)
    }

    @Test func aWaitInSecondsIsTaken() throws {
        let answer = try post(answeredBy: "HTTP/1.1 503 X\r\nRetry-After: 7\r\nContent-Length: 0\r\n\r\n")
        #expect(answer.reply == .status(503, retryAfter: .seconds(7)))
    }

    @Test func aWaitUntilADateIsTaken() throws {
        let format = DateFormatter()
        format.locale = Locale(identifier: "en_US_POSIX")
        format.timeZone = TimeZone(identifier: "UTC")
        format.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
        let date = format.string(from: Date.now.addingTimeInterval(86_400))
        let answer = try post(answeredBy: "HTTP/1.1 429 X\r\nRetry-After: \(date)\r\nContent-Length: 0\r\n\r\n")
        guard case .status(429, let wait?) = answer.reply else {
            Issue.record("\(answer)")
            return
        }
        #expect(wait > .hours(23) && wait <= .hours(24))
    }

    @Test(arguments: ["-5", "soon", "99999999999999999999999", "", "Thu, 01 Jan 1970 00:00:00 GMT"])
    func aSenselessWaitIsNotBelieved(text: String) throws {
        let answer = try post(answeredBy: "HTTP/1.1 503 X\r\nRetry-After: \(text)\r\nContent-Length: 0\r\n\r\n")
        guard case .status(503, let wait) = answer.reply else {
            Issue.record("\(answer)")
            return
        }
        #expect(
            Backoff(DeliveryRule()).wait(afterFailures: 1, retryAfter: wait, random: 0) <= Backoff.longestRetryAfter)
    }

    @Test func aRedirectIsNotFollowed() throws {
        let elsewhere = try AnsweringServer(Array("HTTP/1.1 200 OK\r\n\r\n".utf8))
        let answer = try post(
            answeredBy: "HTTP/1.1 307 X\r\nLocation: \(elsewhere.address)/\r\nContent-Length: 0\r\n\r\n")
        #expect(answer.reply == .status(307, retryAfter: nil))
        #expect(answer.problem.contains("redirects are not followed"))
    }

    @Test(arguments: [
        "rubbish\r\n\r\n", "", "HTTP/1.1 \r\n\r\n", "HTTP/9.9 200 OK\r\n\r\n", "220 smtp.example.org ESMTP\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nshort",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
    ])
    func whatIsNotAWholeHTTPAnswerIsNone(text: String) throws {
        let answer = try post(answeredBy: text)
        #expect(answer.reply == .none)
        #expect(!answer.problem.isEmpty && !answer.problem.contains(token))
        #expect(!answer.isUnreachable)
    }

    @Test func aWebPageIsNoAcknowledgement() throws {
        let page = "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n\r\n<!doctype html><p>Welcome"
        #expect(try post(answeredBy: page).reply == .webPage)
        let word = "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\nok"
        #expect(try post(answeredBy: word).reply == .status(200, retryAfter: nil))
    }

    @Test func anEndlessBodyIsCutOffAndTheStatusCounts() throws {
        let body = String(repeating: "x", count: HTTPClient.answerLimit * 4)
        #expect(try post(answeredBy: "HTTP/1.1 202 OK\r\n\r\n\(body)").reply == .status(202, retryAfter: nil))
        #expect(try post(answeredBy: "HTTP/1.1 500 No\r\n\r\n\(body)").reply == .status(500, retryAfter: nil))
    }

    @Test func whereNobodyListensIsUnreachable() throws {
        let address = try AnsweringServer([]).address
        let answer = try post(to: address)
        #expect(answer.reply == .none)
        #expect(answer.isUnreachable)
        #expect(answer.problem.hasPrefix(address))
    }

    @Test func aServerWithoutTLSGetsNothing() throws {
        let server = try AnsweringServer(Array("HTTP/1.1 200 OK\r\n\r\n".utf8))
        let answer = try post(to: server.address.replacingOccurrences(of: "http:", with: "https:"))
        #expect(answer.reply == .none && answer.isUnreachable)
        #expect(!server.request().contains(token))
    }
}
