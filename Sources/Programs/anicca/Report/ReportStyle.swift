/// The style sheet of the page. It needs no characters that HTML and XML escape differently.
enum ReportStyle {
    /// The colours of states are those of Okabe and Ito, which people with colour blindness can distinguish.
    static let sheet = """

        :root{color-scheme:light dark;--ink:#1a1a1a;--paper:#fff;--soft:#555;--line:#8c8c8c;--hatch:#c4c4c4;--off:#777;--rule:#ddd}
        @media screen and (prefers-color-scheme:dark){:root{--ink:#ececec;--paper:#15181b;--soft:#b4b4b4;--line:#888;--hatch:#4c5156;--off:#8a8a8a;--rule:#34393e}}
        *{box-sizing:border-box}
        body{margin:0 auto;max-width:70rem;padding:1rem;background:var(--paper);color:var(--ink);font:1rem/1.45 system-ui,sans-serif;overflow-wrap:break-word}
        h1{font-size:1.7rem;margin:.3rem 0}
        h2{font-size:1.2rem;margin:2rem 0 .4rem;border-bottom:1px solid var(--rule)}
        p{margin:.4rem 0;max-width:48rem}
        .note,footer,caption,.axis,.hours,summary{color:var(--soft);font-size:.875rem}
        .means{display:flex;flex-wrap:wrap;gap:.4rem;list-style:none;margin:.6rem 0;padding:0}
        .means li{border:1px solid var(--line);border-radius:.4rem;padding:.2rem .6rem}
        .legend{display:flex;flex-wrap:wrap;gap:.2rem 1rem;list-style:none;margin:.6rem 0;padding:0;font-size:.875rem}
        .legend li{display:flex;align-items:center;gap:.4rem}
        .key{width:1.4rem;height:1rem;border:1px solid var(--line)}
        .rows{list-style:none;margin:0;padding:0;font-size:.875rem}
        .rows li{display:grid;grid-template-columns:6rem minmax(0,1fr);align-items:center;column-gap:.5rem;margin:2px 0;break-inside:avoid}
        .rows.told li{grid-template-columns:6rem minmax(0,1fr) 11rem}
        .hours{display:flex;justify-content:space-between}
        svg{display:block;width:100%;border:1px solid var(--line)}
        svg.ribbon,svg.night{height:1.4rem}
        svg.steps{height:9rem}
        svg.bars{height:2.6rem}
        svg.ribbon,.unworn{background:repeating-linear-gradient(45deg,var(--hatch) 0 2px,var(--paper) 2px 6px)}
        .asleep{stroke:#0072b2;background:#0072b2}
        .stationary{stroke:#56b4e9;background:#56b4e9}
        .walking{stroke:#009e73;background:#009e73}
        .running{stroke:#d55e00;background:#d55e00}
        .automotive{stroke:#cc79a7;background:#cc79a7}
        .unknown{stroke:#f0e442;background:#f0e442}
        .off{stroke:var(--off);background:var(--off)}
        .none{stroke:var(--paper);background:var(--paper)}
        .ribbon path{stroke-width:10}
        .night path{stroke-width:7}
        .bars .value{fill:#0072b2}
        .steps .walking{fill:#009e73;stroke:none}
        svg .grid{fill:none;stroke:var(--line);stroke-width:1px;stroke-dasharray:2 2;vector-effect:non-scaling-stroke}
        details{margin:.6rem 0}
        summary{cursor:pointer}
        table{border-collapse:collapse;width:100%;font-size:.875rem;font-variant-numeric:tabular-nums}
        table.wide{font-size:.8rem}
        data,time{white-space:nowrap}
        caption{text-align:left;padding:.3rem 0}
        th,td{text-align:left;vertical-align:top;padding:.2rem .6rem .2rem 0;border-bottom:1px solid var(--rule)}
        th{font-weight:600}
        td{overflow-wrap:anywhere}
        .wide td{overflow-wrap:normal}
        tbody th{white-space:nowrap}
        td ul{list-style:none;margin:0;padding:0}
        dl{display:grid;grid-template-columns:8rem minmax(0,1fr);gap:.2rem .5rem;margin:.6rem 0}
        dt{color:var(--soft)}
        dd{margin:0}
        footer{margin-top:2rem}
        @media (max-width:44rem){
        .rows li{grid-template-columns:5.2rem minmax(0,1fr)}
        .rows.told li{grid-template-columns:5.2rem minmax(0,1fr)}
        .words{grid-column:2}
        .means{font-size:.875rem}
        \(folded("table"))
        }
        @media (max-width:64rem){
        \(folded("table.wide"))
        }
        @media print{
        body{max-width:none;padding:0;font-size:10pt}
        svg,.key{print-color-adjust:exact;-webkit-print-color-adjust:exact}
        h2{break-after:avoid}
        tr,dl,figure{break-inside:avoid}
        }
        @media (forced-colors:active){svg,.key{forced-color-adjust:none}}

        """

    /// Tables with folded rows: each cell shows the title of its column, and the header is only for screen readers.
    private static func folded(_ table: String) -> String {
        """
        \(table),\(table) tbody,\(table) tr,\(table) caption{display:block}
        \(table) thead{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
        \(table) tr{display:flex;flex-wrap:wrap;gap:0 1rem;border-bottom:1px solid var(--rule);padding:.3rem 0}
        \(table) tr th{flex-basis:100%}
        \(table) th,\(table) td{border:0;padding:0}
        \(table) td::before{content:attr(data-title);color:var(--soft);margin-right:.3rem}
        """
    }
}
