/// The page of a study: static HTML without a script, and without an address of anything else.
struct StudyPage {
    let period: StudyPeriod

    /// Hands out the page in pieces.
    func write(to put: (String) throws -> Void) rethrows {
        let last = period.dates.last ?? ""
        try put(
            """
            <!DOCTYPE html>
            <html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
            <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
            <meta name="referrer" content="no-referrer"><title>Anicca: participants</title><style>\(Self.style)</style></head><body><main>
            <h1>Participants</h1>
            <p>\(period.participants.count) participants, \(period.dates.count) days to \(last), written at \(period.writtenAt). Those with most \
            missing days come first. In a picture each column is a day and each row a kind of data: \
            \(StudyKind.all.map(\.name).joined(separator: ", ")).</p>
            <ul class="legend">\(Self.legend)</ul>
            <table><thead><tr><th scope="col">participant</th><th scope="col">devices</th><th scope="col">last contact</th>\
            <th scope="col">data</th><th scope="col">days without a record</th></tr></thead><tbody>

            """)
        for participant in period.participants { try put(row(participant)) }
        try put("</tbody></table></main></body></html>\n")
    }

    private func row(_ participant: Participant) -> String {
        """
        <tr><th scope="row"><code>\(escaped(participant.label))</code></th>\
        <td data-title="devices">\(participant.ended.map { "left on \($0)" } ?? "\(participant.devices)")</td>\
        <td data-title="last contact">\(participant.contact ?? "never")</td>\
        <td class="data">\(picture(participant))</td>\
        <td data-title="days without a record">\(missing(participant))</td></tr>

        """
    }

    // MARK: Missing days

    /// Spans of days without a record since the enrolment, each with the reason.
    private func missing(_ participant: Participant) -> String {
        var spans: [(first: String, last: String, reason: String)] = []
        var follows = false
        for (day, date) in period.dates.enumerated() {
            let isMissing = participant.misses(day)
            defer { follows = isMissing }
            guard isMissing else { continue }
            let reason = reason(participant, date)
            if follows, let last = spans.last, last.reason == reason {
                spans[spans.count - 1].last = date
            } else {
                spans.append((date, date, reason))
            }
        }
        guard !spans.isEmpty else { return "none" }
        return spans.map { "\($0.first == $0.last ? $0.first : "\($0.first) to \($0.last)"): \($0.reason)" }
            .joined(separator: "<br>")
    }

    /// A record of a day comes on a later one.
    private func reason(_ participant: Participant, _ date: String) -> String {
        if let ended = participant.ended, date >= ended { return "left" }
        guard let contact = participant.contact else { return "no contact yet" }
        return date >= contact ? "no contact since" : "nothing was collected, or it was lost"
    }

    // MARK: The picture

    private func picture(_ participant: Participant) -> String {
        let (width, height) = (period.dates.count, StudyKind.all.count)
        let told = StudyKind.all.indices.map { kind in
            let count = participant.days.count { ($0[kind].rawValue > Participant.Mark.none.rawValue) }
            return "\(StudyKind.all[kind].name) \(count)"
        }
        var paths = ""
        for (mark, name) in Self.marks {
            var line = ""
            for kind in StudyKind.all.indices {
                for run in runs(of: mark, in: participant.days, kind) {
                    line += "M\(run.lowerBound) \(kind).5h\(run.count)"
                }
            }
            if !line.isEmpty { paths += #"<path class="\#(name)" d="\#(line)"/>"# }
        }
        return """
            <svg role="img" viewBox="0 0 \(width) \(height)" preserveAspectRatio="none"><title>Data of \(width) days</title>\
            <desc>Days with data: \(told.joined(separator: ", ")).</desc>\(paths)</svg>
            """
    }

    /// The days in a row on which a kind has the mark.
    private func runs(of mark: Participant.Mark, in days: [[Participant.Mark]], _ kind: Int) -> [Range<Int>] {
        var runs: [Range<Int>] = []
        for (day, marks) in days.enumerated() where marks[kind] == mark {
            if let last = runs.last, last.upperBound == day {
                runs[runs.count - 1] = last.lowerBound..<day + 1
            } else {
                runs.append(day..<day + 1)
            }
        }
        return runs
    }

    // MARK: Looks

    /// The marks that are drawn, with their classes.
    private static let marks: [(Participant.Mark, String)] = [
        (.little, "l"), (.quarter, "q"), (.half, "h"), (.full, "f"), (.missing, "m"),
    ]

    private static let legend = [
        ("f", "nine tenths of the day or more"), ("h", "half"), ("q", "a quarter"), ("l", "less"),
        ("n", "nothing of the kind"),
        ("m", "no record"),
    ].map { #"<li><span class="key \#($0)"></span>\#($1)</li>"# }.joined()

    private static let style = """
        :root{color-scheme:light dark;--ink:#1a1a1a;--paper:#fff;--soft:#555;--rule:#ddd;--data:0,94,150}
        @media screen and (prefers-color-scheme:dark){:root{--ink:#ececec;--paper:#15181b;--soft:#b4b4b4;--rule:#34393e;--data:120,190,240}}
        *{box-sizing:border-box}
        body{margin:0 auto;max-width:90rem;padding:1rem;background:var(--paper);color:var(--ink);font:1rem/1.45 system-ui,sans-serif}
        p{max-width:60rem}
        .legend{display:flex;flex-wrap:wrap;gap:.2rem 1rem;list-style:none;padding:0;font-size:.875rem}
        .legend li{display:flex;align-items:center;gap:.4rem}
        .key{width:1.4rem;height:1rem;border:1px solid var(--soft)}
        table{border-collapse:collapse;width:100%;font-size:.875rem;font-variant-numeric:tabular-nums}
        th,td{text-align:left;vertical-align:top;padding:.3rem .8rem .3rem 0;border-bottom:1px solid var(--rule)}
        code{overflow-wrap:anywhere}
        .data{width:40%}
        svg{display:block;width:100%;height:4rem;border:1px solid var(--soft)}
        path{stroke-width:1}
        .f{stroke:rgb(var(--data));background:rgb(var(--data))}
        .h{stroke:rgba(var(--data),.7);background:rgba(var(--data),.7)}
        .q{stroke:rgba(var(--data),.45);background:rgba(var(--data),.45)}
        .l{stroke:rgba(var(--data),.2);background:rgba(var(--data),.2)}
        .m{stroke:#d55e00;background:#d55e00}
        @media (max-width:60rem){
        table,tbody,tr{display:block}
        thead{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
        tr{display:flex;flex-wrap:wrap;gap:0 1rem;border-bottom:1px solid var(--rule);padding:.4rem 0}
        th,td{border:0;padding:.1rem 0}
        tr th,.data{flex-basis:100%;width:100%}
        td[data-title]::before{content:attr(data-title) ": ";color:var(--soft)}
        }
        """
}

/// A text in HTML.
private func escaped(_ text: String) -> String {
    text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
}
