import DataStoreTesting
import Foundation
import OpenSwiftData
import Testing

@testable import Expressions

/// Arithmetic with random decimals of all sizes: what the operations say about each other.
@Suite struct ExactDecimalTests {
  private static func number(_ random: inout SeededGenerator) -> ExactDecimal? {
    let digits = Int.random(in: 1...38, using: &random)
    var magnitude: UInt128 = 0
    for _ in 0..<digits { magnitude = magnitude * 10 + UInt128(random.next() % 10) }
    return try? ExactDecimal(
      magnitude,
      isNegative: random.next() % 2 == 0,
      exponent: Int.random(in: -30...10, using: &random)
    )
  }

  private func check(_ body: (ExactDecimal, ExactDecimal, String) -> Void) {
    let seed = SeededGenerator.testSeed
    var random = SeededGenerator(seed: seed)
    for _ in 0..<20_000 {
      guard let left = Self.number(&random), let right = Self.number(&random) else { continue }
      body(left, right, "seed \(seed): \(Value(left).text) and \(Value(right).text)")
    }
  }

  @Test func valuesKeepEveryDigit() {
    check { number, _, message in
      let value = Value(number)
      #expect(value.exact == number, "\(message)")
      #expect((try? Value(parsing: value.text, as: .decimal))?.exact == number, "\(message)")
    }
  }

  @Test func sumsAndProductsAreExact() {
    check { left, right, message in
      if let sum = try? left + right {
        #expect((try? sum - right) == left, "\(message)")
        #expect((try? right + left) == sum, "\(message)")
      }
      if right.mantissa != 0, let product = try? left * right, let back = try? product / right {
        // A quotient of more than 20 digits after the point is rounded.
        #expect(back == left || left.exponent < -20, "\(message)")
      }
    }
  }

  @Test func quotientsAreTheNearestOnes() {
    check { left, right, message in
      // With more digits before the point, fewer than 20 fit after it.
      guard right.mantissa != 0, let quotient = try? left / right,
        String(quotient.mantissa.magnitude).count + quotient.exponent <= 17
      else { return }
      #expect(
        quotient.exponent >= -ExactDecimal.quotientPlaces || quotient.mantissa == 0,
        "\(message)"
      )
      // One digit more or less in the last place is not nearer.
      guard let product = try? quotient * right, let error = try? product - left,
        let unit = try? ExactDecimal(1, isNegative: false, exponent: -20),
        let largest = try? unit * right, let double = try? error + error
      else { return }
      let isNear =
        Value(double.isNegative ? -double : double)
        .compare(Value(largest.isNegative ? -largest : largest)) != .orderedDescending
      #expect(isNear, "\(message)")
    }
  }

  @Test func theRestIsSmallerThanTheDivisorAndHasItsSign() {
    check { left, right, message in
      guard right.mantissa != 0, let (quotient, rest) = try? left.dividedDown(by: right) else {
        return
      }
      #expect(rest.mantissa == 0 || rest.isNegative == right.isNegative, "\(message)")
      guard let quotient, let product = try? quotient * right, let sum = try? product + rest else {
        return
      }
      #expect(sum == left, "\(message)")
    }
  }

  @Test(arguments: [
    ("2.345", 2, "2.35"), ("-2.345", 2, "-2.35"), ("1250", -2, "1300"), ("0.5", 0, "1"),
    ("49", -2, "0"),
    ("5e37", -38, "100000000000000000000000000000000000000"),
  ])
  func halvesAreRoundedAwayFromZero(text: String, places: Int, expected: String) throws {
    let number = try #require(try Value(parsing: text, as: .decimal).exact)
    #expect(Value(try number.rounded(places)).text == expected)
  }
}
