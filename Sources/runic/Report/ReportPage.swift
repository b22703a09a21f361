import CanonicalJSON
import ObjectStore
import RunicCore

/// A report as one page that needs nothing but itself: no script, no font, no picture from elsewhere.
struct ReportPage {
  let view: ReportView
  private let cube: ReportCube

  init(view: ReportView) {
    self.view = view
    cube = ReportCube(view)
  }

  var html: String {
    var page = PageWriter()
    page.raw("<!DOCTYPE html>\n")
    page.open("html", [("lang", "en")] + theme)
    page.raw("\n")
    writeHead(to: &page)
    page.element("body") { page in
      page.element("main") { page in
        writeSummary(to: &page)
        if !view.quotas.isEmpty { writeQuotas(to: &page) }
        writeSide(.device, "By device", to: &page)
        writeSide(.provider, "By provider", to: &page)
        writeSide(.model, "By model", to: &page)
        writeRows(to: &page)
        writeRemarks(to: &page)
      }
    }
    page.raw("</html>\n")
    return page.html
  }

  /// What the user prefers, where it is a theme; else the reader's system decides.
  private var theme: [(name: StaticString, value: String)] {
    guard let theme = view.theme, theme == "light" || theme == "dark" else { return [] }
    return [("data-theme", theme)]
  }

  private func writeHead(to page: inout PageWriter) {
    page.element("head") { page in
      page.open("meta", [("charset", "utf-8")])
      page.open("meta", [("name", "viewport"), ("content", "width=device-width, initial-scale=1")])
      page.open(
        "meta",
        [
          ("http-equiv", "Content-Security-Policy"),
          ("content", "default-src 'none'; style-src 'unsafe-inline'; img-src data:"),
        ])
      // Without one, browsers ask the server for an icon.
      page.open("link", [("rel", "icon"), ("href", "data:,")])
      page.open("meta", [("name", "color-scheme"), ("content", "light dark")])
      page.element("title", text: "Usage \(extent)")
      page.element("style") { $0.raw(ReportPageStyle.css) }
    }
  }

  private var extent: String {
    let totals = view.report.totals
    guard totals.requests > 0 else { return "" }
    let (first, last) = (view.localTime(totals.first).prefix(10), view.localTime(totals.last).prefix(10))
    return first == last ? String(first) : "\(first) to \(last)"
  }

  private func writeSummary(to page: inout PageWriter) {
    let totals = view.report.totals
    page.element("header") { page in
      page.element("h1", text: "Usage")
      page.element("p", [("class", "faint")], text: extent.isEmpty ? "Nothing was used." : extent)
    }
    page.element("dl", [("class", "cards")]) { page in
      for (name, value) in [
        ("Cost", ReportNumbers.cost(totals)), ("Tokens", ReportNumbers.short(totals.totalTokens)),
        ("Requests", ReportNumbers.grouped(totals.requests)),
        ("Devices", "\(cube.members(.device).count)"),
      ] {
        page.element("div") { page in
          page.element("dt", text: name)
          page.element("dd", text: value)
        }
      }
    }
  }

  private func writeQuotas(to page: inout PageWriter) {
    page.element("section") { page in
      page.element("h2", text: "Quotas")
      page.element("table", [("class", "quotas")]) { page in
        ReportPageTable.head(["Quota", "Of", "Window", "Used", "Read"], numbersFrom: 3, to: &page)
        page.element("tbody") { page in
          for quota in view.quotas { writeQuota(quota, to: &page) }
        }
      }
    }
  }

  private func writeQuota(_ quota: QuotaStanding, to page: inout PageWriter) {
    let age = ReportNumbers.age(view.age(of: quota))
    page.element("tr") { page in
      page.element("th", [("scope", "row")], text: quota.provider)
      page.element("td", text: view.owner(of: quota))
      page.element("td", text: quota.window.rawValue)
      page.element("td", [("class", "number")]) { page in
        if let ratio = quota.ratio {
          page.element("meter", [("value", "\(min(1, max(0, ratio)))"), ("high", "0.75")], text: "")
          page.text(" \(ReportNumbers.percent(ratio))")
        } else {
          page.text(ReportNumbers.grouped(quota.used))
        }
      }
      let read = age == "now" ? age : "\(age) ago"
      page.element("td", [("class", "number")], text: read + view.ending(of: quota))
    }
  }

  private func writeSide(_ side: ReportCube.Side, _ title: String, to page: inout PageWriter) {
    let members = cube.members(side)
    guard !members.isEmpty else { return }
    page.element("section") { page in
      page.element("h2", text: title)
      page.element("div", [("class", "charts")]) { page in
        writeChart("Cost", members, \.cost, to: &page) { ReportNumbers.dollars($0) }
        writeChart("Tokens", members, \.tokens, to: &page) { ReportNumbers.short($0) }
      }
      if members.count > 1 { writeLegend(members, to: &page) }
      ReportPageTable.write(
        title: title, members.enumerated().map { ($1.name, Self.style(of: $0), $1.sum) }, to: &page)
    }
  }

  private func writeChart(
    _ title: String, _ members: [ReportCube.Member], _ values: KeyPath<ReportCube.Member, [Double]>,
    to page: inout PageWriter, label: @escaping (Double) -> String
  ) {
    page.element("figure") { page in
      page.element("figcaption", text: "\(title) by \(cube.unit)")
      let chart = ReportChart(
        title: title, periods: cube.periods, series: Self.series(members, values), label: label)
      chart.write(to: &page)
    }
  }

  /// The first few, and all others as one.
  private static func series(
    _ members: [ReportCube.Member], _ values: KeyPath<ReportCube.Member, [Double]>
  ) -> [ReportChart.Series] {
    var series = members.prefix(ReportCube.coloured).enumerated().map {
      ReportChart.Series(name: $1.name, style: style(of: $0), values: $1[keyPath: values])
    }
    let others = members.dropFirst(ReportCube.coloured)
    guard let first = others.first else { return series }
    var sum = ReportChart.Series(
      name: "others", style: style(of: ReportCube.coloured), values: first[keyPath: values])
    for other in others.dropFirst() {
      for (place, value) in other[keyPath: values].enumerated() { sum.values[place] += value }
    }
    series.append(sum)
    return series
  }

  private static func style(of place: Int) -> String { "c\(min(place, ReportCube.coloured))" }

  private func writeLegend(_ members: [ReportCube.Member], to page: inout PageWriter) {
    page.element("ul", [("class", "legend")]) { page in
      for (place, member) in members.prefix(ReportCube.coloured).enumerated() {
        writeKey(member.name, Self.style(of: place), to: &page)
      }
      if members.count > ReportCube.coloured {
        writeKey("others", Self.style(of: ReportCube.coloured), to: &page)
      }
    }
  }

  private func writeKey(_ name: String, _ style: String, to page: inout PageWriter) {
    page.element("li") { page in
      page.element("span", [("class", "key \(style)")], text: "")
      page.text(name)
    }
  }

  /// The rows that the report was asked for, unless a chart has them below it already.
  private func writeRows(to page: inout PageWriter) {
    switch view.grouping {
    case .device, .provider, .model: return
    default: break
    }
    if view.report.rows.isEmpty { return }
    let title = "By \(view.title.lowercased())"
    page.element("section") { page in
      page.element("h2", text: title)
      var rows: [(name: String, style: String?, sum: UsageSum)] = []
      for row in view.report.rows {
        rows.append((view.name(of: row.key), nil, row.sum))
        guard view.hasBreakdown else { continue }
        for model in row.models { rows.append(("– " + view.names.name(of: model.name), nil, model.sum)) }
      }
      ReportPageTable.write(title: title, rows, to: &page)
    }
  }

  private func writeRemarks(to page: inout PageWriter) {
    page.element("footer") { page in
      for remark in view.remarks { page.element("p", text: remark) }
      page.element("p", text: "made by runic at \(view.localTime(view.now / 1000))")
    }
  }
}
