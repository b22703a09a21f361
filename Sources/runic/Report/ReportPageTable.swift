import RunicCore

/// Sums as a table of a page.
enum ReportPageTable {
  static func head(_ names: [String], numbersFrom first: Int, to page: inout PageWriter) {
    page.element("thead") { page in
      page.element("tr") { page in
        for (place, name) in names.enumerated() {
          page.element(
            "th", [("scope", "col")] + (place >= first ? [("class", "number")] : []), text: name)
        }
      }
    }
  }

  static func write(
    title: String, _ rows: [(name: String, style: String?, sum: UsageSum)], to page: inout PageWriter
  ) {
    page.element("div", [("class", "scroll"), ("tabindex", "0"), ("role", "region"), ("aria-label", title)]) {
      page in
      page.element("table") { page in
        head(
          ["", "Requests", "Input", "Output", "Cache write", "Cache read", "Tokens", "Cost"], numbersFrom: 1,
          to: &page)
        page.element("tbody") { page in
          for row in rows { write(row, to: &page) }
        }
      }
    }
  }

  private static func write(
    _ row: (name: String, style: String?, sum: UsageSum), to page: inout PageWriter
  ) {
    let tokens = row.sum.tokens
    page.element("tr") { page in
      page.element("th", [("scope", "row")]) { page in
        if let style = row.style { page.element("span", [("class", "key \(style)")], text: "") }
        page.text(row.name)
      }
      for count in [
        row.sum.requests, tokens.input, tokens.output, tokens.cacheWrite, tokens.cacheRead,
        row.sum.totalTokens,
      ] {
        page.element("td", [("class", "number")], text: ReportNumbers.grouped(count))
      }
      page.element("td", [("class", "number")], text: ReportNumbers.cost(row.sum))
    }
  }
}
