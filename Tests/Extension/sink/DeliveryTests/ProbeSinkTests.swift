import Delivery
import Domains
import Foundation
import Core
import Testing

@testable import Store

/// Copied beside the tests of delivery: the sink of the list gets what the server gets.
@Suite(.serialized) struct ProbeSinkTests {
    @Test func aDayAndAnEventArriveInTheFile() throws {
        let bench = try Bench()
        let file = bench.directory.appendingPathComponent("probe.jsonl")
        setenv("ANICCA_PROBE_SINK", file.path, 1)
        defer { unsetenv("ANICCA_PROBE_SINK") }
        try bench.queue(days: 1, events: [bench.event()])
        let sinks = try SinkKind.openAll(SinkContext(bench.settings, userAgent: "test")).filter {
            $0.kind.id == SinkKind.probe.id
        }
        #expect(sinks.count == 1, "Sink+All.swift lists it")
        let summary = try bench.run(at: "2025-01-16T04:00:00Z", sinks: sinks)
        #expect(summary.deliveredDays == 1 && summary.deliveredEvents == 1 && summary.waiting == 0)
        let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
        #expect(lines.count == 2)
        #expect(lines[0].contains(#""event":"sedentary_long""#))
        #expect(lines[1].contains(#""day":"2025-01-15""#) && lines[1].contains(#""steps":8500"#))
        #expect(try bench.ledger.deliveryStatus().sinks.map(\.sink) == [SinkKind.probe.id])
    }

    @Test func withoutAFileNoRecordWaitsForIt() throws {
        let bench = try Bench()
        let probe = try #require(try SinkKind.openAll(SinkContext(bench.settings, userAgent: "test")).last)
        #expect(probe.kind.name == "probe" && !probe.isUsed)
    }
}
