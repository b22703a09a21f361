import CanonicalJSON
import Testing

@testable import RunicCore

@Suite struct ReportPriceTests {
  private static let table = try? PriceTable(
    decoding: Array(
      """
      {"asOf":"2020-01","providers":{
        "anthropic":{"big":{"input":"3","output":"15","cacheRead":"0.3","cacheWrite5m":"3.75","cacheWrite1h":"6",
          "above":{"threshold":1000,"input":"6","output":"22.5","cacheRead":"0.6","cacheWrite5m":"7.5"}},
        "dated-20250101":{"input":"1"}},
        "openai":{"plain":{"input":"0.000001","output":"2"}}}}
      """.utf8))

  private func charge(_ model: String, _ tokens: TokenCounts, provider: String = "anthropic") throws
    -> Charge?
  {
    let table = try #require(Self.table)
    return table.price(provider: Array(provider.utf8), model: Array(model.utf8))?.charge(for: tokens)
  }

  @Test func everyClassHasItsRate() throws {
    let tokens = TokenCounts(input: 100, output: 10, cacheRead: 50, cacheWrite: 40, cacheWrite1h: 10)
    // (100*3 + 10*15 + 50*0.3 + 30*3.75 + 10*6) / 10^6
    #expect(try charge("big", tokens)?.cost.exactText == "0.0006375")
  }

  @Test(arguments: [(1000, "0.003"), (1001, "0.006006")] as [(Int64, String)])
  func aThresholdHoldsForTheWholeRequest(context: Int64, cost: String) throws {
    #expect(try charge("big", TokenCounts(input: context))?.cost.exactText == cost)
  }

  @Test func theThresholdCountsInputAndCacheButNotOutput() throws {
    let at = TokenCounts(input: 400, output: 9999, cacheRead: 300, cacheWrite: 300)
    // (400*3 + 9999*15 + 300*0.3 + 300*3.75) / 10^6
    #expect(try charge("big", at)?.cost.exactText == "0.1524")
    let above = TokenCounts(input: 401, output: 0, cacheRead: 300, cacheWrite: 300)
    // (401*6 + 300*0.6 + 300*7.5) / 10^6
    #expect(try charge("big", above)?.cost.exactText == "0.004836")
  }

  @Test func aClassWithoutARateIsUnpricedAlsoAboveAThreshold() throws {
    let tokens = TokenCounts(input: 2000, cacheWrite: 100, cacheWrite1h: 60)
    let charge = try #require(try charge("big", tokens))
    #expect(charge.unpricedTokens == 60)
    #expect(charge.cost.exactText == "0.0123")
    let cached = try #require(
      try self.charge("plain", TokenCounts(input: 1, cacheRead: 7), provider: "openai"))
    #expect(cached.unpricedTokens == 7)
    #expect(cached.cost.exactText == "0.000000000001")
  }

  @Test(arguments: [
    ("big", true), ("big-20250903", true), ("big-2025090", false), ("big-202509031", false), ("bi", false),
    ("bigger", false), ("Big", false), ("big@20250903", false), ("dated", false), ("dated-20250101", true),
    ("dated-20250102", false), ("", false), ("-20250903", false),
  ])
  func aNameMatchesExactlyOrWithoutItsDate(model: String, isKnown: Bool) throws {
    #expect(try (charge(model, TokenCounts(input: 1)) != nil) == isKnown)
  }

  @Test func bothNamesOfAProviderAreOne() throws {
    #expect(try charge("big", TokenCounts(input: 1), provider: "claude") != nil)
    #expect(try charge("plain", TokenCounts(input: 1), provider: "codex") != nil)
    #expect(try charge("plain", TokenCounts(input: 1), provider: "anthropic") == nil)
  }

  @Test func theUsersTableStandsOverTheOther() throws {
    let both = PriceTable.builtIn.overridden(by: try #require(Self.table), path: "/p")
    let name = Array("anthropic".utf8)
    #expect(both.price(provider: name, model: Array("big".utf8)) != nil)
    #expect(both.price(provider: name, model: Array("claude-opus-4-8".utf8)) != nil)
    #expect(both.override == PriceTable.Override(asOf: "2020-01", path: "/p"))
    #expect(both.asOf == PriceTable.builtIn.asOf)
  }

  @Test func theBuiltInTableIsWhole() throws {
    let table = PriceTable.builtIn
    #expect(table.asOf == "2026-11")
    let lines = PriceTable.builtInLines.split(separator: "\n")
    #expect(lines.filter { !$0.hasPrefix("[") }.count == 151)
    var provider: [UInt8] = []
    for line in lines {
      if line.hasPrefix("[") {
        provider = Array(line.utf8.dropFirst().dropLast())
        continue
      }
      let words = line.split(separator: " ")
      let price = try #require(table.price(provider: provider, model: Array(words[0].utf8)), "\(line)")
      #expect(price.rates.input != nil && price.rates.output != nil, "\(line)")
      #expect((price.above != nil) == (words.count > 6), "\(line)")
    }
    let opus = table.price(provider: Array("anthropic".utf8), model: Array("claude-opus-4-8".utf8))
    #expect(
      opus?.rates
        == TokenRates(
          input: 5_000_000, output: 25_000_000, cacheRead: 500_000, cacheWrite: 6_250_000,
          cacheWrite1h: 10_000_000))
  }

  @Test(
    arguments: [
      ("[]", []), ("{\"providers\":{}}", ["asOf"]), ("{\"asOf\":\"x\"}", ["providers"]),
      ("{\"asOf\":\"x\",\"providers\":{\"p\":1}}", ["p"]),
      ("{\"asOf\":\"x\",\"providers\":{\"p\":{\"m\":1}}}", ["p", "m"]),
      ("{\"asOf\":\"x\",\"providers\":{\"p\":{\"m\":{\"input\":1}}}}", ["p", "m", "input"]),
      ("{\"asOf\":\"x\",\"providers\":{\"p\":{\"m\":{\"input\":\"-1\"}}}}", ["p", "m", "input"]),
      ("{\"asOf\":\"x\",\"providers\":{\"p\":{\"m\":{\"input\":\"0.0000001\"}}}}", ["p", "m", "input"]),
      ("{\"asOf\":\"x\",\"providers\":{\"p\":{\"m\":{\"above\":{}}}}}", ["p", "m", "above"]),
    ] as [(String, [String])])
  func aWrongFileSaysWhere(text: String, place: [String]) {
    let error = #expect(throws: PriceFileError.self) { try PriceTable(decoding: Array(text.utf8)) }
    #expect(error?.place == (text == "[]" ? ["asOf"] : place))
  }
}
