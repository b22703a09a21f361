/// A row that another program made of many requests, kept until it is known whether the requests themselves are here.
struct CoarseRequest {
  let payload: [UInt8]
  let seconds: Int64
  let device: Int
}

extension CoarseRequest {
  /// What was printed of one day, week, month, block or session: as a whole, or model by model.
  private struct Printed {
    var whole: Form?
    var byModel: [[UInt8]: Form] = [:]

    mutating func take(_ form: Form, model: [UInt8]) {
      if model.isEmpty {
        if whole.map({ $0 < form }) ?? true { whole = form }
      } else if byModel[model].map({ $0 < form }) ?? true {
        byModel[model] = form
      }
    }

    /// The one of the two that holds more: the other repeats it, or a part of it.
    var rows: [CoarseRequest] {
      guard let whole else { return byModel.values.map(\.row) }
      let sum = byModel.values.reduce(Int64(0)) { $0.clampedSum($1.tokens) }
      return sum < whole.tokens ? [whole.row] : byModel.values.map(\.row)
    }
  }

  /// A row as it was printed at one time; of two, the one with more tokens is the later one.
  private struct Form: Comparable {
    let row: CoarseRequest
    let tokens: Int64

    static func < (a: Form, b: Form) -> Bool {
      a.tokens == b.tokens ? a.row.payload.lexicographicallyPrecedes(b.row.payload) : a.tokens < b.tokens
    }

    static func == (a: Form, b: Form) -> Bool { a.row.payload == b.row.payload }
  }

  /// What a row is about. The record's id does not tell: two machines may each have used so much of a model on a
  /// day, so it holds the numbers too, and a row that has grown since is another record.
  private struct Subject: Hashable {
    let device: Int
    let table: [UInt8]
    let provider: [UInt8]
    let period: [UInt8]
    /// Of a row that does not say what it is about.
    let seconds: Int64?
  }

  /// Of rows that one device recorded about the same thing, those that hold most: a table only grows.
  static func grown(_ rows: [CoarseRequest]) -> [CoarseRequest] {
    var printed: [Subject: Printed] = [:]
    for row in rows {
      row.payload.withUnsafeBytes { payload in
        guard let fields = RequestFields(payload) else { return }
        let subject = Subject(
          device: row.device, table: Array(fields.provenance), provider: Array(fields.provider),
          period: Array(fields.period), seconds: fields.period.isEmpty ? row.seconds : nil)
        printed[subject, default: Printed()].take(
          Form(row: row, tokens: fields.tokens.total), model: Array(fields.model))
      }
    }
    return printed.values.flatMap(\.rows)
  }
}
