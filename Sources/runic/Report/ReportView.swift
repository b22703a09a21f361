import CanonicalJSON
import ObjectStore
import RunicCore

/// A report with all that its printed forms need beside it.
struct ReportView {
  let query: ReportQuery
  let report: Report
  let quotas: [QuotaStanding]
  /// As the devices call themselves.
  let deviceNames: [DeviceID: String]
  /// As screens and pages call them.
  let names: ReportNames
  /// Milliseconds since 1970.
  let now: Int64
  /// The user's `displayFormat` and `theme`.
  let format: Format
  let theme: String?
  /// Whether each row is followed by its models.
  let hasBreakdown: Bool

  enum Format: String {
    case compact, full
    /// As fits.
    case automatic
  }

  var grouping: ReportGrouping { query.grouping }

  func deviceName(_ device: DeviceID) -> String { deviceNames[device] ?? device.hex }

  /// Whose a quota is.
  func owner(of quota: QuotaStanding) -> String { quota.account ?? names.name(of: quota.device) }

  /// Seconds since a reading.
  func age(of quota: QuotaStanding) -> Int64 { max(0, now / 1000 - quota.seconds) }

  /// What follows the age of a reading whose window is over.
  func ending(of quota: QuotaStanding) -> String { quota.hasEnded ? ", ended" : "" }

  /// What a row is called.
  func name(of key: ReportKey) -> String {
    switch key {
    case .period(let start, let name): grouping == .blocks ? localTime(start) : name
    case .provider(let name): ReportNames.name(ofProvider: name)
    case .model(let name): names.name(of: name)
    case .device(let device): names.name(of: device)
    case .account(let name): name ?? "(no account)"
    case .session(let name): name ?? "(no session)"
    }
  }

  /// `2026-09-05 12:00` in the report's zone.
  func localTime(_ seconds: Int64) -> String {
    let text = Timestamp(seconds: seconds + query.zone.offset(at: seconds))?.text ?? ""
    return text.prefix(10) + " " + text.dropFirst(11).prefix(5)
  }

  /// What the first column holds.
  var title: String {
    switch grouping {
    case .daily: "DAY"
    case .weekly: "WEEK"
    case .monthly: "MONTH"
    case .blocks: "BLOCK"
    case .provider: "PROVIDER"
    case .model: "MODEL"
    case .device: "DEVICE"
    case .account: "ACCOUNT"
    case .session: "SESSION"
    }
  }

  /// Lines that go with every form: where prices and days come from, and what has no price.
  var remarks: [String] {
    var remarks: [String] = []
    for (name, tokens) in report.unpriced {
      let model = "\(ReportNames.name(ofProvider: name.provider))/\(ReportNames.name(ofModel: name.model))"
      remarks.append("no price for \(ReportNumbers.grouped(tokens)) tokens of \(model)")
    }
    if report.leftOutRows > 0 {
      remarks.append(
        "\(counted(report.leftOutRows, "row")) of other programs left out: their days have requests of the same device"
      )
    }
    if report.unreadable > 0 {
      remarks.append("\(counted(report.unreadable, "request")) without a readable time left out")
    }
    remarks.append(priceRemark)
    remarks.append("days in \(query.zone.name)")
    return remarks
  }

  private var priceRemark: String {
    let table = query.prices
    var text = "prices as of \(table.asOf)"
    if let override = table.override {
      text += ", over them those of \(override.path) as of \(override.asOf)"
    }
    switch report.totals.source {
    case .logged: return "costs as logged"
    case .mixed: return "costs as logged, where logged; else \(text)"
    case .table, nil: return text
    }
  }

  /// Of the block that the present lies in.
  var presentBlock: (row: ReportRow, rate: UsageBlock.Rate)? {
    for row in report.rows { if let rate = row.block?.rate { return (row, rate) } }
    return nil
  }
}
