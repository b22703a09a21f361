/// Rows in aligned columns, cut to the terminal's width where there is one.
struct TextTable {
  struct Column: Sendable {
    enum Alignment: Sendable { case left, right }

    let title: String
    let alignment: Alignment
    /// Whether it may be cut where the table is too wide.
    let shrinks: Bool
    /// Whether it may be left out where the table is too wide even so: the last such column first.
    let isOptional: Bool

    init(
      _ title: String, _ alignment: Alignment = .left, shrinks: Bool = false, isOptional: Bool = false
    ) {
      self.title = title
      self.alignment = alignment
      self.shrinks = shrinks
      self.isOptional = isOptional
    }
  }

  /// Columns between two columns.
  private static let gap = 2
  /// What a column that shrinks keeps, as long as there is one to leave out; and at the least.
  private static let (comfortable, least) = (8, 4)

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
    let natural = natural(all)
    guard let width else { return all.map { line($0, natural.map(Optional.some)) } }
    var widths = fitted(natural.map(Optional.some), to: width, least: Self.comfortable)
    while Self.total(widths) > width, let last = widths.indices.last(where: { isLeftOut($0, widths) }) {
      widths = natural.indices.map { $0 == last || widths[$0] == nil ? nil : natural[$0] }
      widths = fitted(widths, to: width, least: Self.comfortable)
    }
    widths = fitted(widths, to: width, least: Self.least)
    return all.map { line($0, widths) }
  }

  private func isLeftOut(_ column: Int, _ widths: [Int?]) -> Bool {
    columns[column].isOptional && widths[column] != nil
  }

  /// Columns of a line; nil stands for a column that is left out.
  private static func total(_ widths: [Int?]) -> Int {
    let shown = widths.compactMap { $0 }
    return shown.reduce(0, +) + gap * max(0, shown.count - 1)
  }

  private func natural(_ rows: [[String]]) -> [Int] {
    columns.indices.map { column in
      rows.reduce(0) { max($0, TextWidth.columns($1[column])) }
    }
  }

  /// Takes what is too much from the columns that shrink, always from the widest.
  private func fitted(_ natural: [Int?], to width: Int, least: Int) -> [Int?] {
    var widths = natural
    var excess = Self.total(widths) - width
    while excess > 0 {
      let candidates = columns.indices.filter { columns[$0].shrinks && (widths[$0] ?? 0) > least }
      guard let widest = candidates.max(by: { (widths[$0] ?? 0) < (widths[$1] ?? 0) }) else { break }
      widths[widest]? -= 1
      excess -= 1
    }
    return widths
  }

  private func line(_ cells: [String], _ widths: [Int?]) -> String {
    var shown: [String] = []
    for (index, cell) in cells.enumerated() {
      guard let width = widths[index] else { continue }
      let text = TextWidth.truncated(cell, to: width)
      let padding = String(repeating: " ", count: max(0, width - TextWidth.columns(text)))
      shown.append(columns[index].alignment == .left ? text + padding : padding + text)
    }
    var line = shown.joined(separator: String(repeating: " ", count: Self.gap))
    while line.last == " " { line.removeLast() }
    return line
  }
}
