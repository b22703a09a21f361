import RunicCore

/// Bars over time, each stacked of the same few series, as inline SVG.
struct ReportChart {
  struct Series {
    let name: String
    /// The class that colours it: `c0` to `c7`.
    let style: String
    /// One for each period.
    var values: [Double]
  }

  let title: String
  let periods: [String]
  let series: [Series]
  /// A value as it is shown in the chart.
  let label: (Double) -> String

  private static let width = 480.0
  private static let height = 220.0
  private static let left = 58.0
  private static let right = 472.0
  private static let top = 14.0
  private static let bottom = 192.0

  func write(to page: inout PageWriter) {
    page.element(
      "svg",
      [
        ("viewBox", "0 0 \(Int(Self.width)) \(Int(Self.height))"), ("role", "img"),
        ("aria-label", "\(title) over time, \(periods.first ?? "") to \(periods.last ?? "")"),
      ]
    ) { page in
      let scale = AxisScale(greatest: totals.max() ?? 0)
      writeGrid(scale, to: &page)
      writeBars(scale, to: &page)
      writePeriods(to: &page)
    }
  }

  /// Without cents, where no mark has any.
  private func axisLabel(_ mark: Double, _ scale: AxisScale) -> String {
    let text = label(mark)
    guard text.hasSuffix(".00"), scale.marks.allSatisfy({ label($0).hasSuffix(".00") }) else { return text }
    return String(text.dropLast(3))
  }

  private var totals: [Double] {
    periods.indices.map { place in series.reduce(0) { $0 + $1.values[place] } }
  }

  private func writeGrid(_ scale: AxisScale, to page: inout PageWriter) {
    for mark in scale.marks {
      let y = height(mark, scale)
      page.open(
        "line",
        [
          ("class", "grid"), ("x1", Self.number(Self.left)), ("x2", Self.number(Self.right)),
          ("y1", Self.number(y)), ("y2", Self.number(y)),
        ])
      page.raw("</line>")
      page.element(
        "text", [("x", Self.number(Self.left - 6)), ("y", Self.number(y + 4)), ("text-anchor", "end")],
        text: axisLabel(mark, scale))
    }
  }

  private func writeBars(_ scale: AxisScale, to page: inout PageWriter) {
    let step = (Self.right - Self.left) / Double(max(1, periods.count))
    let width = min(step > 6 ? step - min(6, step * 0.25) : step * 0.9, 48)
    for place in periods.indices {
      var sum = 0.0
      for series in series where series.values[place] > 0 {
        let (low, high) = (height(sum, scale), height(sum + series.values[place], scale))
        sum += series.values[place]
        page.open(
          "rect",
          [
            ("class", series.style), ("x", Self.number(Self.left + step * (Double(place) + 0.5) - width / 2)),
            ("y", Self.number(high)), ("width", Self.number(width)),
            ("height", Self.number(max(0, low - high))),
          ])
        page.element("title", text: "\(periods[place]), \(series.name): \(label(series.values[place]))")
        page.raw("</rect>")
      }
    }
  }

  /// The first, the last and the one between them: there is room for three on a phone.
  private func writePeriods(to page: inout PageWriter) {
    let last = periods.count - 1
    let step = (Self.right - Self.left) / Double(max(1, periods.count))
    for place in Set([0, last / 2, last]).sorted() where periods.indices.contains(place) {
      let middle = Self.left + step * (Double(place) + 0.5)
      let isCrowded = step < 90
      let anchor =
        isCrowded && last > 0 ? (place == 0 ? "start" : place == last ? "end" : "middle") : "middle"
      let x = anchor == "start" ? Self.left : anchor == "end" ? Self.right : middle
      page.element(
        "text", [("x", Self.number(x)), ("y", "210"), ("text-anchor", anchor)], text: periods[place])
    }
  }

  private func height(_ value: Double, _ scale: AxisScale) -> Double {
    Self.bottom - value / scale.top * (Self.bottom - Self.top)
  }

  /// Two digits after the point are finer than any screen.
  private static func number(_ value: Double) -> String {
    let hundredths = Int64(exactly: (value * 100).rounded()) ?? 0
    let rest = hundredths.magnitude % 100
    let sign = hundredths < 0 ? "-" : ""
    return "\(sign)\(hundredths.magnitude / 100)" + (rest == 0 ? "" : rest < 10 ? ".0\(rest)" : ".\(rest)")
  }
}

/// Round numbers from 0 to what is not below the greatest value.
private struct AxisScale {
  let marks: [Double]
  var top: Double { marks.last ?? 1 }

  init(greatest: Double) {
    guard greatest.isFinite, greatest > 0 else {
      marks = [0, 1]
      return
    }
    var unit = 1.0
    while unit * 10 <= greatest { unit *= 10 }
    while unit > greatest { unit /= 10 }
    // Three to six steps, of one, two, two and a half or five.
    let steps = [0.2, 0.25, 0.5, 1, 2, 2.5].map { $0 * unit }
    let step = steps.first { greatest / $0 <= 4 } ?? unit * 2.5
    let count = Int(exactly: (greatest / step).rounded(.up)) ?? 1
    marks = (0...max(1, count)).map { Double($0) * step }
  }
}
