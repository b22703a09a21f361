/// Rows in aligned columns, cut to the terminal's width where there is one.
struct TextTable {
  struct Column: Sendable {
    enum Alignment: Sendable { case left, right }

    let title: String
    let alignment: Alignment
    /// Whether it may be cut where the table is too wide.
    let shrinks: Bool

    init(_ title: String, _ alignment: Alignment = .left, shrinks: Bool = false) {
      self.title = title
      self.alignment = alignment
      self.shrinks = shrinks
    }
  }

  /// Columns between two columns.
  private static let gap = 2
  /// What a column that shrinks keeps.
  private static let least = 8

  let columns: [Column]
  private(set) var rows: [[String]] = []

  init(_ columns: [Column]) { self.columns = columns }

  /// Adds a row; cells are made harmless, missing ones are empty, those beyond the last column are dropped.
  mutating func add(_ cells: [String]) {
    let missing = max(0, columns.count - cells.count)
    rows.append(cells.prefix(columns.count).map(Escaping.oneLine) + Array(repeating: "", count: missing))
  }

  /// The lines, the titles first where any column has one. `width` nil: as wide as it gets.
  func lines(width: Int?) -> [String] {
    let titles = columns.map(\.title)
    let all = titles.allSatisfy(\.isEmpty) ? rows : [titles] + rows
    let widths = fitted(natural(all), to: width)
    return all.map { line($0, widths) }
  }

  private func natural(_ rows: [[String]]) -> [Int] {
    columns.indices.map { column in
      rows.reduce(0) { max($0, TextWidth.columns($1[column])) }
    }
  }

  /// Takes what is too much from the columns that shrink, always from the widest.
  private func fitted(_ natural: [Int], to width: Int?) -> [Int] {
    guard let width else { return natural }
    var widths = natural
    var excess = widths.reduce(0, +) + Self.gap * max(0, columns.count - 1) - width
    while excess > 0 {
      let candidates = columns.indices.filter { columns[$0].shrinks && widths[$0] > Self.least }
      guard let widest = candidates.max(by: { widths[$0] < widths[$1] }) else { break }
      widths[widest] -= 1
      excess -= 1
    }
    return widths
  }

  private func line(_ cells: [String], _ widths: [Int]) -> String {
    var line = ""
    for (index, cell) in cells.enumerated() {
      let text = TextWidth.truncated(cell, to: widths[index])
      let padding = String(repeating: " ", count: max(0, widths[index] - TextWidth.columns(text)))
      let isLast = index == cells.count - 1
      switch columns[index].alignment {
      case .left: line += text + (isLast ? "" : padding)
      case .right: line += padding + text
      }
      if !isLast { line += String(repeating: " ", count: Self.gap) }
    }
    while line.last == " " { line.removeLast() }
    return line
  }
}
