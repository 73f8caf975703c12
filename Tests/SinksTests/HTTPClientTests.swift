import Foundation
import Loopback
import Core
import Delivery
import Testing

struct HTTPClientTests {
    let token = "a-token-that-nobody-may-see"

    func post(to address: String) throws -> HTTPClient.Answer {
        let secret = try #require(Secret(.token, fileContent: Array(token.utf8)))
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

    @Test func aRedirectIsNotFollowed() throws {
        let elsewhere = try AnsweringServer(Array("HTTP/1.1 200 OK\r\n\r\n".utf8))
        let answer = try post(
            answeredBy: "HTTP/1.1 307 X\r\nLocation: \(elsewhere.address)/\r\nContent-Length: 0\r\n\r\n")
        #expect(answer.reply == .status(307, retryAfter: nil))
        #expect(answer.problem.contains("redirects are not followed"))
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

    @Test func aServerWithoutTLSGetsNothing() throws {
        let server = try AnsweringServer(Array("HTTP/1.1 200 OK\r\n\r\n".utf8))
        let answer = try post(to: server.address.replacingOccurrences(of: "http:", with: "https:"))
        #expect(answer.reply == .unreachable)
        #expect(!server.request().contains(token))
    }
}
