import TestSupport
import Testing

@testable import RunicCore

@Suite struct ReportMoneyTests {
  @Test(arguments: [
    ("0", "0"), ("0.1", "0.1"), ("12.50", "12.5"), ("1e-7", "0.0000001"), ("2.5E+3", "2500"),
    ("0.000000000001", "0.000000000001"),
    ("0.0000000000005", "0.000000000001"), ("0.00000000000049", "0"), ("0.9999999999995", "1"),
    ("18446744073709551615", "18446744073709551615"), ("0e5", "0"), ("00012", "12"),
  ])
  func decimalsAreExactToTheTwelfthPlace(text: String, exact: String) {
    #expect(Money(decimal: text)?.exactText == exact)
  }

  @Test(arguments: [
    "", "-1", "+1", ".5", "1.", "1e", "1e+", "1x", " 1", "NaN", "18446744073709551616", "1e400", "1e99999",
  ])
  func whatIsNoAmountIsNone(text: String) { #expect(Money(decimal: text) == nil) }

  @Test(arguments: [
    ("0.005", 2, "0.01"), ("0.0049", 2, "0.00"), ("9.995", 2, "10.00"), ("1", 2, "1.00"),
    ("1.23456", 4, "1.2346"),
  ])
  func roundingIsHalfUp(text: String, places: Int, rounded: String) {
    #expect(Money(decimal: text)?.text(places: places) == rounded)
  }

  @Test func aMillionDimesAreAHundredThousandDollars() throws {
    let dime = try #require(Money(decimal: "0.1"))
    var sum = Money.zero
    for _ in 0..<1_000_000 { sum += dime }
    #expect(sum.exactText == "100000")
  }

  @Test func sumsStopAtTheGreatestAmount() {
    var sum = Money(tokens: .max, rate: .max)
    #expect(sum == .greatest)
    sum += sum
    #expect(sum == .greatest)
    #expect(sum.text(places: 2) == "18446744073709551615.00")
  }

  @Test func tokensTimesRateIsExact() {
    #expect(Money(tokens: 3, rate: 15_000_000).exactText == "0.000045")
    // Past 64 bits in between.
    #expect(Money(tokens: 9_000_000_000_000, rate: 75_000_000).exactText == "675000000")
    #expect(Money(tokens: 1, rate: 1).exactText == "0.000000000001")
  }

  @Test func additionAgreesWithIntegers() {
    let seed: UInt64 = 11
    var random = SeededRandom(seed: seed)
    for _ in 0..<1000 {
      let parts = (0..<5).map { _ in UInt64.random(in: 0..<1_000_000_000_000_000, using: &random) }
      var sum = Money.zero
      for part in parts { sum += Money(tokens: 1, rate: part) }
      let total = parts.reduce(0, +)
      #expect(
        sum.dollars == total / Money.unit && sum.picodollars == total % Money.unit,
        "seed \(seed), parts \(parts)")
    }
  }
}
