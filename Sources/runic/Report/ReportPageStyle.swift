/// How the page looks: in light and dark, on a phone, on paper.
enum ReportPageStyle {
  private static let light = """
    --paper:#fbfbfa;--card:#fff;--ink:#1d2126;--faint:#626a73;--line:#dfe2e5;
    --c0:#2f6fc4;--c1:#d9730d;--c2:#2a8f5b;--c3:#bb3a63;--c4:#7a55c7;--c5:#0e8a90;--c6:#a07800;--c7:#8a9199;
    """
  private static let dark = """
    --paper:#15181c;--card:#1d2126;--ink:#e8eaed;--faint:#a0a8b1;--line:#343a41;
    --c0:#6ea5f2;--c1:#f2994a;--c2:#5cc48d;--c3:#ee7a9c;--c4:#b096f0;--c5:#4cc4ca;--c6:#d8b440;--c7:#8a9199;
    """

  static let css = """

    :root{color-scheme:light;\(light)}
    @media (prefers-color-scheme:dark){:root:not([data-theme=light]){color-scheme:dark;\(dark)}}
    :root[data-theme=dark]{color-scheme:dark;\(dark)}
    *{box-sizing:border-box}
    body{margin:0;background:var(--paper);color:var(--ink);font:16px/1.5 system-ui,sans-serif}
    main{max-width:68rem;margin:0 auto;padding:1.5rem 1rem 3rem}
    h1{margin:0;font-size:1.75rem}h2{margin:0 0 .75rem;font-size:1.2rem}
    .faint,footer{color:var(--faint)}header p{margin:.25rem 0 1rem}
    .cards{display:grid;grid-template-columns:repeat(auto-fit,minmax(8.5rem,1fr));gap:.75rem;margin:0 0 1.5rem}
    .cards div,section{background:var(--card);border:1px solid var(--line);border-radius:.6rem}
    .cards div{padding:.75rem 1rem}dt{color:var(--faint);font-size:.875rem}
    dd{margin:0;font-size:1.5rem;font-weight:600}
    section{padding:1rem;margin:0 0 1.25rem;min-width:0}
    .charts{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,20rem),1fr));gap:1rem}
    figure{margin:0;min-width:0}figcaption{color:var(--faint);font-size:.875rem}
    svg{display:block;width:100%;height:auto}
    svg text{fill:var(--faint);font:13px system-ui,sans-serif}.grid{stroke:var(--line);stroke-width:1}
    .legend{list-style:none;display:flex;flex-wrap:wrap;gap:.25rem 1rem;margin:.5rem 0 1rem;padding:0}
    .legend li{overflow-wrap:anywhere;font-size:.9rem}
    .key{display:inline-block;width:.75em;height:.75em;margin-right:.4em;border-radius:2px}
    \(colours)
    .scroll{overflow-x:auto}
    table{border-collapse:collapse;width:100%;font-size:.9rem;font-variant-numeric:tabular-nums}
    th,td{padding:.35rem .5rem;text-align:left;border-bottom:1px solid var(--line);white-space:nowrap}
    thead th{color:var(--faint);font-weight:500}
    tbody th{font-weight:500;white-space:normal;overflow-wrap:anywhere;min-width:7rem;max-width:22rem}
    .number{text-align:right}tbody tr:last-child>*{border-bottom:0}
    meter{width:4rem;vertical-align:middle}
    footer p{margin:.25rem 0;font-size:.875rem;overflow-wrap:anywhere}
    @media (max-width:40rem){
    body{font-size:15px}section{padding:.75rem}svg text{font-size:15px}
    table{font-size:.85rem}th,td{padding:.35rem .3rem}
    .cards{grid-template-columns:1fr 1fr;gap:.5rem}.cards div{padding:.5rem .75rem}dd{font-size:1.2rem}
    .quotas td:nth-child(2),.quotas td:nth-child(5){white-space:normal}.quotas meter{display:none}
    .quotas td:nth-child(2){overflow-wrap:anywhere}
    tbody th{min-width:4.5rem}.quotas tbody th{min-width:3.5rem}
    .scroll th:nth-child(n+3):nth-child(-n+6),.scroll td:nth-child(n+3):nth-child(-n+6){display:none}
    }
    @media (max-width:22rem){.quotas th:nth-child(5),.quotas td:nth-child(5){display:none}}
    @media print{
    :root,:root[data-theme=dark]{color-scheme:light;\(light)}
    body{background:#fff;font-size:11pt}main{max-width:none;padding:0}
    section{border:0;padding:0}.cards div{border-color:#999}table{font-size:8.5pt}
    h2,.charts{break-after:avoid}.charts,.legend{break-inside:avoid}
    .scroll{overflow:visible}rect,.key{print-color-adjust:exact;-webkit-print-color-adjust:exact}
    tr{break-inside:avoid}
    }

    """

  private static let colours = (0...7).map { ".c\($0){fill:var(--c\($0));background:var(--c\($0))}" }
    .joined()
}
