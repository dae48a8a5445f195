import DataStoreTesting
import Foundation
import OpenSwiftData
import Testing

@Suite struct CompactDecimalTests {
  @Test func textEqualsTheDescription() throws {
    let seed = SeededGenerator.testSeed
    print("seed \(seed)")
    var random = SeededGenerator(seed: seed)
    for _ in 0..<20_000 {
      let digits =
        Int64.random(in: .min ... .max, using: &random) >> Int64.random(in: 0..<64, using: &random)
      guard digits != .min else { continue }
      let exponent = Int.random(in: -45...45, using: &random)
      let sign: FloatingPointSign = digits < 0 ? .minus : .plus
      let decimal = Decimal(sign: sign, exponent: exponent, significand: Decimal(digits.magnitude))
      let parsed = try #require(Decimal(string: decimal.description))
      guard let compact = CompactDecimal(parsed) else { continue }
      #expect(compact.text == parsed.description)
      #expect(Value.decimal(parsed).asDouble == Double(parsed.description))
      let (next, other) = (
        parsed.nextUp,
        Decimal(compact.mantissa)
          * Decimal(sign: .plus, exponent: Int(compact.exponent), significand: 1)
      )
      #expect((Value.decimal(parsed) == .decimal(next)) == (parsed == next))
      #expect((Value.decimal(parsed) == .decimal(other)) == (parsed == other))
    }
  }

  /// A decimal with zeros at the end of its digits is not in its shortest form.
  @Test func equalDecimalsInSeveralFormsAreEqual() {
    let long = Decimal(string: "0.000000000000000000000000000001").map {
      $0 * Decimal(string: "1e30")!
    }
    #expect(long.map { Value.decimal($0) } == .decimal(1))
  }

  @Test(arguments: [
    "0", "5", "-5", "0.5", "-0.05", "12.5", "1200", "-9223372036854775807", "0.0000000001",
  ])
  func textIsReadBack(_ text: String) {
    #expect(CompactDecimal(text: text.utf8)?.text ?? Decimal(string: text)?.description == text)
  }
}
