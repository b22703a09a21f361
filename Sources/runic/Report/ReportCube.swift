import CanonicalJSON
import ObjectStore
import RunicCore

/// What devices used of models over time, ready to be drawn along one of its sides.
struct ReportCube {
  /// A side of the cube.
  enum Side: CaseIterable {
    case device, provider, model
  }

  /// What one device, provider or model came to.
  struct Member {
    let name: String
    var sum = UsageSum()
    /// By the place of the period.
    var cost: [Double]
    var tokens: [Double]
  }

  /// How many have a colour of their own; what comes after them is one series.
  static let coloured = 7
  /// More bars than these are too thin to tell apart: then weeks or months are drawn.
  private static let mostBars = 92

  let periods: [String]
  /// `day`, `week` or `month`.
  let unit: String
  private let members: [Side: [Member]]

  func members(_ side: Side) -> [Member] { members[side] ?? [] }

  init(_ view: ReportView) {
    let cells = view.report.cube
    let calendar = Self.calendar(view, days: cells.map(\.day))
    let numbers = Self.periods(cells.map { calendar.period(ofDay: $0.day) }, calendar)
    let places = Dictionary(uniqueKeysWithValues: numbers.enumerated().map { ($1, $0) })
    periods = numbers.map(calendar.name)
    unit = calendar.grouping == .monthly ? "month" : calendar.grouping == .weekly ? "week" : "day"
    var members: [Side: [Member]] = [:]
    for side in Side.allCases {
      members[side] = Self.members(cells, count: numbers.count) { cell in
        (Self.name(of: cell, side, view), places[calendar.period(ofDay: cell.day)] ?? 0)
      }
    }
    self.members = members
  }

  private static func name(of cell: CubeCell, _ side: Side, _ view: ReportView) -> (id: String, name: String)
  {
    switch side {
    case .device: (cell.device.hex, view.names.name(of: cell.device))
    case .provider: (cell.model.provider, view.name(of: .provider(cell.model.provider)))
    case .model:
      ("\(cell.model.provider)/\(cell.model.model)", view.name(of: .model(cell.model)))
    }
  }

  private static func members(
    _ cells: [CubeCell], count: Int, _ locate: (CubeCell) -> ((id: String, name: String), place: Int)
  ) -> [Member] {
    var members: [[UInt8]: Member] = [:]
    let empty = [Double](repeating: 0, count: count)
    for cell in cells {
      let ((id, name), place) = locate(cell)
      let key = Array(id.utf8)
      members[key, default: Member(name: name, cost: empty, tokens: empty)].add(cell.sum, at: place)
    }
    return members.sorted { a, b in
      let (first, second) = (
        (a.value.sum.cost, a.value.sum.totalTokens), (b.value.sum.cost, b.value.sum.totalTokens)
      )
      return first == second ? a.key.lexicographicallyPrecedes(b.key) : second < first
    }.map(\.value)
  }

  /// The report's own periods, or coarser ones where they would be too many.
  private static func calendar(_ view: ReportView, days: [Int64]) -> ReportCalendar {
    let wanted: ReportGrouping =
      view.grouping == .weekly || view.grouping == .monthly ? view.grouping : .daily
    let length = (days.max() ?? 0) - (days.min() ?? 0) + 1
    let most = Int64(mostBars)
    let grouping: ReportGrouping =
      switch wanted {
      case .daily where length <= most: .daily
      case .daily, .weekly: length <= most * 7 ? .weekly : .monthly
      default: .monthly
      }
    return ReportCalendar(grouping: grouping, zone: view.query.zone)
  }

  /// From the first to the last with none left out, as far as that can be drawn.
  private static func periods(_ used: [Int64], _ calendar: ReportCalendar) -> [Int64] {
    guard let first = used.min(), let last = used.max() else { return [] }
    var all: [Int64] = []
    var period = first
    while period <= last, all.count <= 4 * mostBars {
      all.append(period)
      period = calendar.next(after: period)
    }
    // Records with years far apart: then only what is used.
    return period > last ? all : Set(used).sorted()
  }
}

extension ReportCube.Member {
  fileprivate mutating func add(_ other: UsageSum, at place: Int) {
    sum += other
    cost[place] += other.cost.double
    tokens[place] += Double(other.totalTokens)
  }
}
