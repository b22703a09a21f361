import CanonicalJSON
import RunicCore

/// A report as one object: `{"rows","totals","quotas","timezone","prices"}` (`docs/report.md`, "Forms").
struct ReportJSON {
  let view: ReportView

  var value: JSONValue {
    [
      "leftOutRows": .count(view.report.leftOutRows), "prices": prices,
      "quotas": .array(view.quotas.map(quota)), "rows": .array(view.report.rows.map(row)),
      "timezone": .text(view.query.zone.name), "totals": .object(Self.sum(view.report.totals)),
      "unpriced": .array(view.report.unpriced.map(unpriced)), "unreadable": .count(view.report.unreadable),
    ]
  }

  private var prices: JSONValue {
    let table = view.query.prices
    var object: JSONObject = ["asOf": .text(table.asOf)]
    if let override = table.override {
      object["override"] = ["asOf": .text(override.asOf), "path": .text(override.path)]
    }
    return .object(object)
  }

  private func unpriced(_ item: (name: ModelName, tokens: Int64)) -> JSONValue {
    ["model": .text(item.name.model), "provider": .text(item.name.provider), "tokens": .integer(item.tokens)]
  }

  private func row(_ row: ReportRow) -> JSONValue {
    var object = Self.sum(row.sum)
    switch row.key {
    case .period(_, let name): object["period"] = .text(name)
    case .provider(let name): object["provider"] = .text(name)
    case .model(let name):
      object["model"] = .text(name.model)
      object["provider"] = .text(name.provider)
    case .device(let device):
      object["device"] = .text(device.hex)
      object["deviceName"] = .text(view.deviceName(device))
    case .account(let name): object["account"] = .text(name)
    case .session(let name):
      object["session"] = .text(name)
      object["first"] = .time(row.sum.first &* 1000)
      object["last"] = .time(row.sum.last &* 1000)
    }
    if let block = row.block { add(block, to: &object) }
    if view.hasBreakdown { object["models"] = .array(row.models.map(Self.model)) }
    return .object(object)
  }

  private func add(_ block: UsageBlock, to object: inout JSONObject) {
    object["start"] = .time(block.start * 1000)
    object["end"] = .time(block.end * 1000)
    object["isPresent"] = .bool(block.rate != nil)
    guard let rate = block.rate else { return }
    object["rate"] = [
      "costPerHourUSD": Self.number(rate.costPerHour), "minutes": .integer(rate.minutes),
      "minutesLeft": .integer(rate.minutesLeft), "projectedCostUSD": Self.number(rate.projectedCost),
      "projectedTokens": Self.number(rate.projectedTokens.rounded()),
      "tokensPerMinute": Self.number(rate.tokensPerMinute),
    ]
  }

  private static func model(_ model: (name: ModelName, sum: UsageSum)) -> JSONValue {
    var object = sum(model.sum)
    object["model"] = .text(model.name.model)
    object["provider"] = .text(model.name.provider)
    return .object(object)
  }

  static func sum(_ sum: UsageSum) -> JSONObject {
    let tokens = sum.tokens
    return [
      "cacheReadTokens": .integer(tokens.cacheRead), "cacheWrite1hTokens": .integer(tokens.cacheWrite1h),
      "cacheWriteTokens": .integer(tokens.cacheWrite), "costSource": .text(sum.source?.rawValue),
      "costUSD": money(sum.knownCost), "inputTokens": .integer(tokens.input),
      "outputTokens": .integer(tokens.output), "reasoningTokens": .integer(tokens.reasoning),
      "requests": .integer(sum.requests), "totalTokens": .integer(sum.totalTokens),
      "unpricedTokens": .integer(sum.unpricedTokens),
    ]
  }

  static func money(_ money: Money?) -> JSONValue { number(money?.double) }

  static func number(_ number: Double?) -> JSONValue { number.flatMap(JSONValue.number) ?? .null }

  private func quota(_ quota: QuotaStanding) -> JSONValue {
    .object(Self.quota(quota, deviceName: view.deviceName(quota.device), age: view.age(of: quota)))
  }

  static func quota(_ quota: QuotaStanding, deviceName: String, age: Int64) -> JSONObject {
    [
      "account": .text(quota.account), "age": .integer(age), "costUSD": money(quota.cost),
      "device": .text(quota.device.hex), "deviceName": .text(deviceName), "hasEnded": .bool(quota.hasEnded),
      "limit": quota.limit.map(JSONValue.integer) ?? .null,
      "provider": .text(ProviderName.canonical(quota.provider)), "providerID": .text(quota.provider),
      "ratio": number(quota.ratio), "resetsAt": .text(quota.resets.flatMap { Timestamp(seconds: $0)?.text }),
      "updatedAt": .text(Timestamp(seconds: quota.seconds)?.text),
      "used": .integer(quota.used), "window": .text(quota.window.rawValue),
    ]
  }
}
