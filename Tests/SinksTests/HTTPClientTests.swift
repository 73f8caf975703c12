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

    @Test func aWaitOfMoreDigitsThanFitIsALongOne() throws {
        let wait = String(repeating: "9", count: 40)
        let answer = try post(answeredBy: "HTTP/1.1 503 X\r\nRetry-After: \(wait)\r\nContent-Length: 0\r\n\r\n")
        guard case .status(503, let wait?) = answer.reply else {
            Issue.record("\(answer)")
            return
        }
        #expect(wait > Backoff.longestRetryAfter)
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
        "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n", "HTTP/1.1 201 Created\r\nCon", "HTTP/1.1 201 Created\r\n",
        "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 201 Created\r\n", "HtTP/1.17\u{F}\nConth:ength: 0\r\n\r\n",
        "HTTP/1.1 2010 OK\r\n\r\n", "HTTP/1.1\r\n\r\n",
    ])
    func whatIsNotAWholeHTTPAnswerIsNone(text: String) throws {
        let answer = try post(answeredBy: text)
        #expect(answer.reply == .unanswered)
        #expect(!answer.problem.isEmpty && !answer.problem.contains(token))
    }

    @Test(arguments: [
        "Content-Type: text/html; charset=utf-8\r\n\r\n\r\n<!doctype html><p>Welcome",
        "Content-Type: text/html\r\n\r\nok",
        "Content-Type: text/html\r\n\r\n\u{FEFF}<html>", "Content-Type: application/xhtml+xml\r\n\r\n<?xml?><html>",
        "\r\n<html>Please sign in", "Content-Type: text/plain\r\n\r\nWelcome <b>", "Content-Type: text/json\r\n\r\n{}",
        "Content-Type: application/json-seq\r\n\r\n{}", "Content-Type: application/json\r\n\r\n <html>",
        "Content-Type: text/html; charset=utf-16le\r\n\r\n<\0h\0", "Content-Type:\r\n\r\nx",
    ])
    func whatIsNoReceiptIsNoAcknowledgement(rest: String) throws {
        #expect(try post(answeredBy: "HTTP/1.1 200 OK\r\n" + rest).reply == .noReceipt)
    }

    @Test(arguments: [
        "Content-Length: 0\r\n\r\n", "Content-Type: text/html\r\nContent-Length: 0\r\n\r\n",
        "Transfer-Encoding: chunked\r\n\r\n0\r\nX-Sum: 1\r\n\r\n",
        "Content-Type: Application/JSON; charset=utf-8\r\n\r\n{}", "Content-Type: application/json ;a=b\r\n\r\n{}",
    ])
    func jsonAndNoBodyAreAReceipt(rest: String) throws {
        #expect(try post(answeredBy: "HTTP/1.1 201 OK\r\n" + rest).reply == .status(201, retryAfter: nil))
    }

    @Test func anEndlessBodyIsCutOffAndTheStatusCounts() throws {
        let body = "Content-Type: application/json\r\n\r\n{" + String(repeating: "x", count: HTTPClient.answerLimit * 4)
        #expect(try post(answeredBy: "HTTP/1.1 202 OK\r\n\(body)").reply == .status(202, retryAfter: nil))
        #expect(try post(answeredBy: "HTTP/1.1 500 No\r\n\(body)").reply == .status(500, retryAfter: nil))
    }

    @Test func endlessHeadersTrailersAndInterimAnswersAreCutOff() throws {
        let line = "X-Filler: " + String(repeating: "x", count: 1000) + "\r\n"
        let lines = String(repeating: line, count: 40)
        let interim = String(repeating: "HTTP/1.1 103 Early\r\n\(line)\r\n", count: 40)
        for answer in [
            "HTTP/1.1 204 OK\r\n\(lines)\r\n", "\(interim)HTTP/1.1 204 OK\r\n\r\n",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\(lines)\r\n",
        ] {
            let answer = try post(answeredBy: answer)
            #expect(answer.reply == .unanswered && answer.problem.contains("of headers"))
        }
    }

    @Test func whereNobodyListensIsUnreachable() throws {
        let address = try AnsweringServer([]).address
        let answer = try post(to: address)
        #expect(answer.reply == .unreachable)
        #expect(answer.problem.hasPrefix(address))
    }

    @Test func aServerWithoutTLSGetsNothing() throws {
        let server = try AnsweringServer(Array("HTTP/1.1 200 OK\r\n\r\n".utf8))
        let answer = try post(to: server.address.replacingOccurrences(of: "http:", with: "https:"))
        #expect(answer.reply == .unreachable)
        #expect(!server.request().contains(token))
    }
}
